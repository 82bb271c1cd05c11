"""Two of SGLang's habits: its server asks for a marker before the detector, which alone would read more; and a stream gives the last
arguments of a call only when the server asks what is missing at the end."""

import json
from types import SimpleNamespace

from stand_in_reader import Growth, OPEN, read


class FunctionCallParser:

    ToolCallParserEnum = {'qwen25': None, 'kimi_k2': None}

    def __init__(self, tools, tool_call_parser):
        self.growth, self.detector = Growth(), SimpleNamespace(prev_tool_call_arr=[], streamed_args_for_tool=[])

    def has_tool_call(self, text):
        return f'{OPEN}\n' in text

    def parse_non_stream(self, full_text):
        content, calls = read(full_text)
        return content, [SimpleNamespace(tool_index=at, name=name, parameters=text) for at, (name, text) in enumerate(calls)]

    def parse_stream_chunk(self, chunk_text):
        content, calls = self.growth.feed(chunk_text)
        for _, _, text in calls:
            self.detector.prev_tool_call_arr.append({'arguments': json.loads(text)})
            self.detector.streamed_args_for_tool.append(text[:-1])
        return content, [SimpleNamespace(tool_index=at, name=name, parameters=text[:-1]) for at, name, text in calls]
