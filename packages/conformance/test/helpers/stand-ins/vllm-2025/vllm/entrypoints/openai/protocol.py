from types import SimpleNamespace


class ChatCompletionRequest(SimpleNamespace):

    def __init__(self, model, messages, tools=None, tool_choice='none'):
        super().__init__(model=model, messages=messages, tools=tools, tool_choice=tool_choice)
