"""Answers lines {"tag": ..., "texts": [...]} on standard input with the verdicts of an installed xgrammar, a line each.

    venv/bin/python packages/grammar/scripts/xgrammar-verdicts.py < lines.jsonl

A verdict is true, or the offset of the byte that is refused; the length of the text where it may not end there. A tag that is refused is
answered with its error. Bytes are fed one by one, over a vocabulary of bytes. Torch is not needed: see torch_stub.py.
"""

import json
import sys

import torch_stub  # noqa: F401
import xgrammar

END = 256
INFO = xgrammar.TokenizerInfo(
    [bytes([byte]) for byte in range(256)] + [b"<end>"],
    vocab_type=xgrammar.VocabType.RAW,
    vocab_size=257,
    stop_token_ids=[END],
)
COMPILER = xgrammar.GrammarCompiler(INFO, max_threads=1)


def verdict(compiled, text):
    matcher = xgrammar.GrammarMatcher(compiled)
    data = text.encode("utf-8")
    for at, byte in enumerate(data):
        if not matcher.accept_token(byte):
            return at
    return True if matcher.accept_token(END) else len(data)


for line in sys.stdin:
    question = json.loads(line)
    try:
        compiled = COMPILER.compile_structural_tag(json.dumps(question["tag"]))
        answer = {"verdicts": [verdict(compiled, text) for text in question["texts"]]}
    except Exception as error:  # noqa: BLE001
        answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)
