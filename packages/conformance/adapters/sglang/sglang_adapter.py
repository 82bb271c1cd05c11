"""SGLang's own detectors behind the callspec protocol; README.md says how."""

import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'python-engines'))
from engine_session import load_first, Missing, openai_tools, run, started, version_of  # noqa: E402

# Newest first: the engine moved them.
CALLS = ['sglang.srt.function_call.function_call_parser:FunctionCallParser',
         'sglang.srt.function_call_parser:FunctionCallParser']
REASONING = ['sglang.srt.parser.reasoning_parser:ReasoningParser', 'sglang.srt.reasoning_parser:ReasoningParser']
TOOL = ['sglang.srt.entrypoints.openai.protocol:Tool', 'sglang.srt.openai_api.protocol:Tool']
HINT = 'SGLang has no such class here. Install it: pip install sglang.'


def main():
    given = arguments()
    parser_of, _ = load_first(CALLS, HINT) if given.tool_parser else (None, '')
    reasoning_of, _ = load_first(REASONING, HINT) if given.reasoning_parser else (None, '')
    tool_of, _ = load_first(TOOL, HINT)

    def open_reader(asked):
        tools = [tool_of(**each) for each in openai_tools(asked)]
        calls = None if parser_of is None else parser_of(tools, given.tool_parser)
        thoughts = None if reasoning_of is None else reasoning_of(given.reasoning_parser, stream_reasoning=True)
        return Reader(calls, thoughts)

    try:
        # A parser that is not there is said at once, not case by case.
        open_reader({})
    except ValueError as error:
        raise Missing(f'SGLang {version_of("sglang")}: {error}') from error
    names = [name for name in (given.tool_parser, given.reasoning_parser) if name is not None]
    run({
        'name': f'SGLang {" + ".join(names)}',
        'version': version_of('sglang'),
        'supports': [{'operations': ['parse', 'stream'], 'formats': given.format, 'profiles': ['strict', 'lenient:*']}],
        # A delta is one token, or several where tokens are speculated or --stream-interval is set.
        'cuts': ['tokens', 'groups'],
    }, open_reader)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tool-parser')
    parser.add_argument('--reasoning-parser')
    parser.add_argument('--format', action='append', required=True)
    given = parser.parse_args()
    if given.tool_parser is None and given.reasoning_parser is None:
        raise Missing('Which parser? Give --tool-parser NAME, --reasoning-parser NAME, or both.')
    return given


class Reader:
    """Thoughts first, calls in what is left, as the server does it."""

    def __init__(self, calls, thoughts):
        self.calls, self.thoughts = calls, thoughts

    def whole(self, text):
        thought, rest = (None, text) if self.thoughts is None else self.thoughts.parse_non_stream(text)
        if self.calls is None or not rest:
            return {'reasoning': thought or '', 'content': rest or '', 'calls': []}
        content, found = self.calls.parse_non_stream(rest)
        # Here tool_index is the place of the tool in the request, not that of the call.
        calls = [{'name': each.name, 'arguments': each.parameters} for each in found]
        return {'reasoning': thought or '', 'content': content or '', 'calls': calls}

    def feed(self, chunk):
        thought, rest = (None, chunk) if self.thoughts is None else self.thoughts.parse_stream_chunk(chunk)
        if self.calls is None or not rest:
            return delta_of(thought, rest, [])
        content, found = self.calls.parse_stream_chunk(rest)
        return delta_of(thought, content, found)

    def end(self):
        # Before summer 2026 nothing was told that a stream was over, and what was held back stayed there.
        finish = getattr(self.calls, 'parse_stream_end', None)
        return {} if finish is None else delta_of(None, *finish())


def delta_of(thought, content, found):
    parts = {'reasoning': thought, 'content': content}
    calls = [call_delta(each) for each in found]
    return {**{key: text for key, text in parts.items() if text}, **({'calls': calls} if calls else {})}


def call_delta(item):
    parts = {'name': item.name, 'arguments': item.parameters}
    return {'index': item.tool_index, **{key: text for key, text in parts.items() if text}}


if __name__ == '__main__':
    started(main)
