from types import SimpleNamespace

from stand_in_reader import Growth, read


def item(index, name, parameters):
    return SimpleNamespace(tool_index=index, name=name, parameters=parameters)


class FunctionCallParser:

    def __init__(self, tools, tool_call_parser):
        if tool_call_parser != 'qwen25':
            raise ValueError(f'Unsupported tool_call_parser: {tool_call_parser}')
        self.names = [tool.function['name'] for tool in tools]
        self.growth = Growth()

    def parse_non_stream(self, full_text):
        content, calls = read(full_text)
        # As in the engine: the index of the tool, not of the call.
        return content, [item(self.names.index(name) if name in self.names else -1, name, text) for name, text in calls]

    def parse_stream_chunk(self, chunk_text):
        content, calls = self.growth.feed(chunk_text)
        return content, [item(*each) for each in calls]
