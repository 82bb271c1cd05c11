"""vLLM's own parsers behind the callspec protocol; README.md says how."""

import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'python-engines'))
from engine_session import load_first, Missing, openai_tools, run, started, tokenizer_from, version_of  # noqa: E402

# Newest first. The engine moved them; both generations of each are met in releases.
UNIFIED = ['vllm.parser.parser_manager:ParserManager', 'vllm.parser:ParserManager']
TOOLS = ['vllm.tool_parsers:ToolParserManager', 'vllm.entrypoints.openai.tool_parsers:ToolParserManager']
REASONING = ['vllm.reasoning:ReasoningParserManager']
REQUESTS = [
    'vllm.entrypoints.openai.chat_completion.protocol:ChatCompletionRequest',
    'vllm.entrypoints.openai.protocol:ChatCompletionRequest',
]
HINT = 'vLLM has no such class here. Install it: pip install vllm.'


def main():
    given = arguments()
    request_of, _ = load_first(REQUESTS, HINT)
    open_parser, streams = newest(given)
    operations = ['parse', 'stream'] if streams else ['parse']
    names = [name for name in (given.tool_parser, given.reasoning_parser) if name is not None]

    def open_reader(asked):
        tools = openai_tools(asked)
        choice = {'tools': tools, 'tool_choice': 'auto'} if tools else {}
        request = request_of(model='m', messages=[{'role': 'user', 'content': 'x'}], **choice)
        tokenizer = tokenizer_from(given.tokenizer)
        return open_parser(tokenizer, request)

    # A parser that is not there is said at once, not case by case.
    open_reader({})
    run({
        'name': f'vLLM {" + ".join(names)}',
        'version': version_of('vllm'),
        'supports': [{'operations': operations, 'formats': given.format, 'profiles': ['strict', 'lenient:*']}],
        # A delta is one token, or several where tokens are speculated or an interval is set.
        'cuts': ['tokens', 'groups'],
    }, open_reader)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tool-parser')
    parser.add_argument('--reasoning-parser')
    parser.add_argument('--tokenizer', help='folder or name; default: one that splits at words, signs and markers')
    parser.add_argument('--format', action='append', required=True)
    given = parser.parse_args()
    if given.tool_parser is None and given.reasoning_parser is None:
        raise Missing('Which parser? Give --tool-parser NAME, --reasoning-parser NAME, or both.')
    return given


def newest(given):
    """What opens a parser in this version, and whether streams can be asked."""
    try:
        manager, _ = load_first(UNIFIED, HINT)
        unified = manager.get_parser(given.tool_parser, given.reasoning_parser, enable_auto_tools=True)
        return (lambda tokenizer, request: Unified(unified(tokenizer, request.tools), tokenizer, request)), True
    except Missing:
        pass
    except (TypeError, KeyError) as error:
        raise Missing(f'vLLM {version_of("vllm")}: {error}') from error
    tool = named(TOOLS, 'get_tool_parser', given.tool_parser)
    reasoning = named(REASONING, 'get_reasoning_parser', given.reasoning_parser)
    # How the server hands over from one parser to the other is not theirs: such a stream is not asked.
    return (lambda tokenizer, request: Separate(tool, reasoning, tokenizer, request)), reasoning is None


def named(managers, method, name):
    if name is None:
        return None
    manager, _ = load_first(managers, HINT)
    try:
        return getattr(manager, method)(name)
    except KeyError as error:
        raise Missing(f'vLLM {version_of("vllm")}: {error}') from error


class Unified:
    """One parser for reasoning and calls (since summer 2026)."""

    def __init__(self, parser, tokenizer, request):
        self.parser, self.tokenizer, self.request = parser, tokenizer, request

    def whole(self, text):
        ids = self.tokenizer.encode(text)
        reasoning, content, calls = self.parser.parse(
            text, self.request, enable_auto_tools=True, model_output_token_ids=ids)
        return reading(reasoning, content, calls or [])

    def feed(self, chunk):
        ids = self.tokenizer.encode(chunk)
        return delta_of(self.parser.parse_delta(chunk, ids, self.request, finished=False))

    def end(self):
        return delta_of(self.parser.parse_delta('', [], self.request, finished=True))


class Separate:
    """A parser for calls, one for reasoning, or both."""

    def __init__(self, tool, reasoning, tokenizer, request):
        self.tokenizer, self.request = tokenizer, request
        self.tool = None if tool is None else with_tools(tool, tokenizer, request)
        self.reasoning = None if reasoning is None else reasoning(tokenizer)
        self.text, self.ids = '', []

    def whole(self, text):
        thought, content = None, text
        if self.reasoning is not None:
            read = getattr(self.reasoning, 'extract_reasoning', None) or self.reasoning.extract_reasoning_content
            thought, content = read(text, self.request)
        if self.tool is None or not content:
            return reading(thought, content, [])
        found = self.tool.extract_tool_calls(content, self.request)
        return reading(thought, found.content, [each.function for each in found.tool_calls])

    def feed(self, chunk):
        ids = self.tokenizer.encode(chunk)
        text, before = self.text + chunk, self.ids
        found = self.tool.extract_tool_calls_streaming(
            self.text, text, chunk, before, before + ids, ids, self.request)
        self.text, self.ids = text, before + ids
        return delta_of(found)

    def end(self):
        return {}


def with_tools(parser, tokenizer, request):
    try:
        return parser(tokenizer, request.tools)
    except TypeError:
        # Before 2026 they were given the tokenizer alone.
        return parser(tokenizer)


def reading(reasoning, content, calls):
    return {
        'reasoning': reasoning or '',
        'content': content or '',
        'calls': [{'name': each.name, 'arguments': each.arguments} for each in calls],
    }


def delta_of(message):
    if message is None:
        return {}
    # The member was called reasoning_content before 2026.
    thought = getattr(message, 'reasoning', None) or getattr(message, 'reasoning_content', None)
    parts = {'content': message.content, 'reasoning': thought}
    calls = [call_delta(each) for each in getattr(message, 'tool_calls', None) or []]
    return {**{key: text for key, text in parts.items() if text}, **({'calls': calls} if calls else {})}


def call_delta(call):
    parts = {'name': call.function.name, 'arguments': call.function.arguments} if call.function else {}
    return {'index': call.index, **{key: text for key, text in parts.items() if text}}


if __name__ == '__main__':
    started(main)
