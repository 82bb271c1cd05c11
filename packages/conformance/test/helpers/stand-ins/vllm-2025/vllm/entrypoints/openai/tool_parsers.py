from types import SimpleNamespace

from stand_in_reader import CLOSE, Growth, OPEN, read


def function(name, arguments):
    return SimpleNamespace(name=name, arguments=arguments)


class Hermes:

    def __init__(self, tokenizer):
        if tokenizer.get_vocab().get(OPEN) is None or tokenizer.get_vocab().get(CLOSE) is None:
            raise RuntimeError('the tokenizer lacks the markers')
        self.growth = Growth()

    def extract_tool_calls(self, model_output, request):
        content, calls = read(model_output)
        calls = [SimpleNamespace(function=function(*each)) for each in calls]
        return SimpleNamespace(tools_called=bool(calls), tool_calls=calls, content=content or None)

    def extract_tool_calls_streaming(self, previous_text, current_text, delta_text, previous_token_ids,
                                     current_token_ids, delta_token_ids, request):
        assert current_text == previous_text + delta_text
        assert list(current_token_ids) == [*previous_token_ids, *delta_token_ids]
        content, calls = self.growth.feed(delta_text)
        if not content and not calls:
            return None
        return SimpleNamespace(content=content or None, tool_calls=[
            SimpleNamespace(index=index, function=function(*rest)) for index, *rest in calls])


class ToolParserManager:

    @classmethod
    def get_tool_parser(cls, name):
        if name != 'hermes':
            raise KeyError(f"tool helper: '{name}' is not registered")
        return Hermes
