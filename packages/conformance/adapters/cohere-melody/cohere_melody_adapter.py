"""Cohere's own reader and prompts (melody) behind the callspec protocol; README.md says how."""

import argparse
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'python-engines'))
from engine_session import load_first, openai_tools, run, Skipped, started, version_of  # noqa: E402

# It ends a reply, and no server hands its text on.
END = '<|END_OF_TURN_TOKEN|>'

# How replies begin after the prompts of each reader: those of cmd4 open a thought.
THINKING = {'cmd3': ['written', 'none'], 'cmd4': ['opened', 'written']}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--parser', choices=sorted(THINKING), required=True)
    parser.add_argument('--format', required=True)
    given = parser.parse_args()
    load_first(['cohere_melody:PyFilter'], 'cohere-melody is not installed: pip install cohere-melody.')
    import cohere_melody as melody
    run({
        'name': f'cohere-melody {given.parser}',
        'version': version_of('cohere-melody'),
        'supports': [
            {'operations': ['parse', 'stream'], 'formats': [given.format]},
            {'operations': ['render'], 'formats': [given.format], 'profiles': ['strict', 'chat-template@*']},
        ],
        'cuts': ['whole', 'tokens', 'groups'],
        'thinking': THINKING[given.parser],
    }, lambda asked: Reply(melody, given, asked), lambda asked: prompt(melody, given, asked))


class Reply:
    """A reply on its way through a filter, which takes the text of one token or of several."""

    def __init__(self, melody, given, asked):
        if asked.get('tool_choice', 'auto') != 'auto':
            raise Skipped('the reader does not know the choice of tools')
        self.filter = melody.PyFilter(getattr(melody.PyFilterOptions(), given.parser)())

    def whole(self, text):
        read = self.filter.process_full_text(before_end(text))
        calls = [{**id_of(each), 'name': each.name, 'arguments': each.arguments} for each in read.tool_calls]
        return {'content': read.content or '', 'reasoning': read.reasoning or '', 'calls': calls}

    def feed(self, chunk):
        return delta_of(self.filter.write_decoded(before_end(chunk)))

    def end(self):
        return delta_of(self.filter.flush_partials())


def before_end(text):
    if any(0xd800 <= ord(each) < 0xe000 for each in text):
        raise Skipped('a lone surrogate, which no token has')
    text, end, rest = text.partition(END)
    if rest.strip():
        raise Skipped('the text goes on after the token that ends a reply')
    return text


def delta_of(read):
    parts = {'content': read.content, 'reasoning': read.reasoning}
    calls = [{'index': each.index, **id_of(each), 'name': each.name, 'arguments': each.arguments} for each in read.tool_calls]
    return {**{key: text for key, text in parts.items() if text}, **({'calls': calls} if calls else {})}


def id_of(call):
    return {'id': call.id} if call.id else {}


def prompt(melody, given, asked):
    """The prompt of chat messages, in Cohere's words for them."""
    tools = [each.get('function', each) for each in asked.get('tools') or []]
    return getattr(melody, f'render_{given.parser}')({
        'messages': [message_of(each) for each in asked['messages']],
        'available_tools': [{
            'name': each['name'], 'description': each.get('description') or '', 'parameters': each.get('parameters') or {},
        } for each in tools],
        **({'reasoning_type': 'enabled' if asked['enable_thinking'] else 'disabled'} if 'enable_thinking' in asked else {}),
    })


ROLES = {'assistant': 'chatbot', 'function': 'tool', 'developer': 'system'}


def message_of(given):
    thought = given.get('reasoning_content')
    calls = given.get('tool_calls') or []
    return {
        'role': ROLES.get(given['role'], given['role']),
        'content': [*([{'type': 'thinking', 'thinking': thought}] if thought else []), *content_of(given.get('content'))],
        'tool_calls': [{
            'id': each.get('id') or '', 'name': each['function']['name'], 'parameters': json_text(each['function']['arguments']),
        } for each in calls],
        **({'tool_call_id': given['tool_call_id']} if given.get('tool_call_id') else {}),
    }


def content_of(content):
    if isinstance(content, list):
        return [{'type': 'text', 'text': each.get('text', '')} for each in content]
    return [{'type': 'text', 'text': content}] if content else []


def json_text(arguments):
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


if __name__ == '__main__':
    started(main)
