from types import SimpleNamespace

from stand_in_reader import Growth, read, thought


class Parser:

    def __init__(self, tokenizer, tools=None):
        self.growth = Growth()

    def parse(self, model_output, request, enable_auto_tools=False, model_output_token_ids=()):
        assert enable_auto_tools and len(model_output_token_ids) > 0
        before, rest = thought(model_output)
        content, calls = read(rest)
        return before or None, content or None, [SimpleNamespace(name=name, arguments=text) for name, text in calls]

    def parse_delta(self, delta_text, delta_token_ids, request, prompt_token_ids=None, *, finished):
        content, calls = self.growth.feed(delta_text)
        calls = [SimpleNamespace(index=index, function=SimpleNamespace(name=name, arguments=text))
                 for index, name, text in calls]
        return SimpleNamespace(content=content or None, reasoning=None, tool_calls=calls)


class ParserManager:

    @classmethod
    def get_parser(cls, tool_parser_name=None, reasoning_parser_name=None, enable_auto_tools=False):
        if tool_parser_name not in (None, 'hermes'):
            raise TypeError(f"tool_parser:'{tool_parser_name}' which has not been registered")
        return Parser
