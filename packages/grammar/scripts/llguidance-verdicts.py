"""Answers lines {"lark": ..., "texts": [...]} on standard input with the verdicts of an installed llguidance, a line each.

    venv/bin/python packages/grammar/scripts/llguidance-verdicts.py < lines.jsonl

A verdict is true, or the offset of the byte that is refused; the length of the text where it may not end there. A grammar that is refused is
answered with its error. The vocabulary is bytes.
"""

import json
import sys

import llguidance

END = 256


class Bytes:
    eos_token_id = END
    bos_token_id = None
    tokens = [bytes([byte]) for byte in range(256)] + [b"<end>"]
    special_token_ids = [END]

    def __call__(self, text):
        return list(text if isinstance(text, bytes) else text.encode("utf-8"))


TOKENIZER = llguidance.LLTokenizer(llguidance.TokenizerWrapper(Bytes()))


def verdict(matcher, text):
    data = text.encode("utf-8")
    taken = matcher.try_consume_tokens(list(data))
    return True if taken == len(data) and matcher.is_accepting() else taken


for line in sys.stdin:
    question = json.loads(line)
    grammar = llguidance.LLMatcher.grammar_from_lark(question["lark"])
    first = llguidance.LLMatcher(TOKENIZER, grammar, log_level=0)
    if first.get_error():
        print(json.dumps({"error": first.get_error()}), flush=True)
        continue
    print(json.dumps({"verdicts": [verdict(first.deep_copy(), text) for text in question["texts"]]}), flush=True)
