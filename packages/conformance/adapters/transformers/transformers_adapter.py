"""The response template of a tokenizer, read by transformers, behind the callspec protocol; README.md says how."""

import argparse
import inspect
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'python-engines'))
from engine_session import load_first, Missing, openai_tools, run, started, version_of  # noqa: E402

HINT = 'transformers cannot be imported. Install it: pip install transformers.'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tokenizer', required=True, help='folder or name')
    parser.add_argument('--template', help='a response template (JSON) instead of the one of the tokenizer')
    parser.add_argument('--format', action='append', required=True)
    given = parser.parse_args()
    auto, _ = load_first(['transformers:AutoTokenizer'], HINT)
    tokenizer = auto.from_pretrained(given.tokenizer)
    if not hasattr(tokenizer, 'parse_response'):
        raise Missing(f'transformers {version_of("transformers")} has no parse_response. Install 4.57 or later.')
    schema = template_of(given.template, tokenizer)
    streams = hasattr(tokenizer, 'get_response_parser')
    run({
        'name': f'transformers {os.path.basename(os.path.normpath(given.tokenizer))}',
        'version': version_of('transformers'),
        'supports': [{
            'operations': ['parse', 'stream'] if streams else ['parse'],
            'formats': given.format,
            'profiles': ['strict', 'lenient:*'],
        }],
        # A streamer hands on words, which are one token or several.
        'cuts': ['tokens', 'groups'],
    }, lambda asked: Reader(tokenizer, schema, openai_tools(asked)))


def template_of(path, tokenizer):
    if path is not None:
        with open(path, encoding='utf-8') as file:
            return json.load(file)
    # The first generation called it response_schema.
    for name in ('response_template', 'response_schema'):
        if getattr(tokenizer, name, None) is not None:
            return getattr(tokenizer, name)
    raise Missing('This tokenizer has neither a response_template nor a response_schema. Give --template FILE.')


class Reader:
    """One reply."""

    def __init__(self, tokenizer, schema, tools):
        self.tokenizer, self.schema, self.tools = tokenizer, schema, tools
        self.stream = None
        self.text = ''

    def whole(self, text):
        known = inspect.signature(self.tokenizer.parse_response).parameters
        # The first generation knew neither the prompt nor the tools.
        more = {name: value for name, value in (('prefix', ''), ('tools', self.tools or None)) if name in known}
        return reading(self.tokenizer.parse_response(text, self.schema, **more))

    def feed(self, chunk):
        # Events have forms of their own; what counts is the message at the end.
        self.opened().feed(chunk)
        return {}

    def end(self):
        message, _ = self.opened().finalize()
        read = reading(message)
        calls = [{'index': index, **each} for index, each in enumerate(read['calls'])]
        return {**read, 'calls': calls}

    def opened(self):
        if self.stream is None:
            self.stream = self.tokenizer.get_response_parser(self.schema, prefix='', tools=self.tools or None)
        return self.stream


def reading(message):
    thought = message.get('reasoning_content') or message.get('thinking') or message.get('reasoning')
    calls = [each.get('function', each) for each in message.get('tool_calls') or []]
    return {
        'reasoning': thought or '',
        'content': message.get('content') or '',
        'calls': [{'name': each['name'], 'arguments': text_of(each.get('arguments'))} for each in calls],
    }


def text_of(value):
    return value if isinstance(value, str) else json.dumps({} if value is None else value)


if __name__ == '__main__':
    started(main)
