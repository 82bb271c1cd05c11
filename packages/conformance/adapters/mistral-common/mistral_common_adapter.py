"""Mistral's own reader and prompts behind the callspec protocol; README.md says how."""

import argparse
import json
import os
import re
import sys
import tempfile
import types

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'python-engines'))
from engine_session import load_first, openai_tools, Pieces, run, Skipped, started, version_of  # noqa: E402

HINT = 'mistral-common is not installed: pip install "mistral-common[server,sentencepiece]".'

# The package carries the vocabularies of v3 and v7. Those of v11 and later have the words of v3 and more special tokens.
CARRIED = {
    'v3': 'tekken_240718.json',
    'v3-spm': 'mistral_instruct_tokenizer_240323.model.v3',
    'v7': 'mistral_instruct_tokenizer_241114.model.v7',
}
LATER = ['v11', 'v13', 'v15']
THINKS = ['v13', 'v15']
# Its prompts begin with settings that only the files of a model have.
WITH_SETTINGS = ['v15']
ADDED = ['[ARGS]', '[CALL_ID]']
ADDED_WITH_THOUGHTS = [*ADDED, '[THINK]', '[/THINK]', '[MODEL_SETTINGS]', '[/MODEL_SETTINGS]']


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--parser', choices=[*CARRIED, *LATER], required=True)
    parser.add_argument('--format', required=True)
    given = parser.parse_args()
    detokenize, _ = load_first(['mistral_common.experimental.app.routers:detokenize_to_assistant_message'], HINT)
    tokenizer = tokenizer_of(given.parser)
    run({
        'name': f'mistral-common {given.parser}',
        'version': version_of('mistral-common'),
        'supports': [
            {'operations': ['parse'], 'formats': [given.format]},
            *([] if given.parser in WITH_SETTINGS else [
                {'operations': ['render'], 'formats': [given.format], 'profiles': ['strict', 'chat-template@*']}]),
        ],
        'thinking': ['written', 'none'] if given.parser in THINKS else ['none'],
    }, lambda asked: Reply(tokenizer, detokenize, asked), lambda asked: prompt(tokenizer, asked))


def tokenizer_of(name):
    of_mistral, _ = load_first(['mistral_common.tokens.tokenizers.mistral:MistralTokenizer'], HINT)
    folder = of_mistral._data_path()
    if name in CARRIED:
        return of_mistral.from_file(str(folder / CARRIED[name]))
    of_words, _ = load_first(['mistral_common.tokens.tokenizers.tekken:Tekkenizer'], HINT)
    with open(folder / CARRIED['v3'], encoding='utf-8') as file:
        vocabulary = json.load(file)
    special = [dict(each) for each in of_words.DEPRECATED_SPECIAL_TOKENS]
    added = ADDED_WITH_THOUGHTS if name in THINKS else ADDED
    special += [{'rank': len(special) + at, 'token_str': each, 'is_control': True} for at, each in enumerate(added)]
    vocabulary.update(special_tokens=special)
    vocabulary['config']['version'] = name
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, 'tekken.json')
        with open(path, 'w', encoding='utf-8') as file:
            json.dump(vocabulary, file)
        return of_mistral.from_file(path)


class Reply:
    """A reply as tokens; the package reads finished replies only."""

    def __init__(self, tokenizer, detokenize, asked):
        if asked.get('tool_choice', 'auto') != 'auto':
            raise Skipped('the reader does not know the choice of tools')
        self.words = tokenizer.instruct_tokenizer.tokenizer
        self.settings, self.detokenize = types.SimpleNamespace(tokenizer=tokenizer), detokenize
        self.pieces = Pieces(
            lambda text: self.words.encode(text, bos=False, eos=False), special_tokens_of(self.words), asked['plain'])

    def whole(self, text):
        tokens = self.pieces.take(text)
        # A reply that is not cut ends with this token; the package asks for at least one.
        if tokens[-1:] != [self.words.eos_id]:
            tokens.append(self.words.eos_id)
        answer = self.detokenize(self.settings, tokens)
        try:
            answer.send(None)
        except StopIteration as done:
            return reading(done.value)
        raise RuntimeError('the reader of mistral-common waits for something')


def special_tokens_of(words):
    special = {words.id_to_piece(each): each for each in words.special_ids}
    # The rest of the vocabulary's places for special tokens has no text.
    return {text: each for text, each in special.items() if not text.startswith('<SPECIAL_')}


def reading(message):
    content = message.content or ''
    chunks = [('text', content)] if isinstance(content, str) else [chunk_of(each) for each in content]
    items = [{'type': kind, 'text': text} for kind, text in chunks]
    return {'items': items + [call_of(each) for each in message.tool_calls or []]}


def chunk_of(chunk):
    thought = getattr(chunk, 'thinking', None)
    return ('text', chunk.text) if thought is None else ('reasoning', thought)


def call_of(call):
    # "null" is the default of the package: the model wrote no id.
    known = {} if call.id == 'null' else {'id': call.id}
    return {'type': 'call', **known, 'name': call.function.name, 'arguments': call.function.arguments}


def prompt(tokenizer, asked):
    """The prompt of a request as the package makes it, its tokens shown as text."""
    of_openai, _ = load_first(['mistral_common.protocol.instruct.request:ChatCompletionRequest'], HINT)
    tools = openai_tools(asked)
    request = of_openai.from_openai(messages=asked['messages'], **({'tools': tools} if tools else {}))
    text = tokenizer.encode_chat_completion(request).text
    return {'text': re.sub('<0x([0-9A-F]{2})>', lambda byte: chr(int(byte[1], 16)), text.replace('\u2581', ' '))}['text']


if __name__ == '__main__':
    started(main)
