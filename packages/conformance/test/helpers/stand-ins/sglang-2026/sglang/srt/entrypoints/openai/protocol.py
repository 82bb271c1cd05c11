from types import SimpleNamespace


class ChatCompletionRequest(SimpleNamespace):

    def __init__(self, model, messages, tools=None, tool_choice=None, chat_template_kwargs=None, reasoning_effort=None):
        super().__init__(
            model=model, messages=messages, tools=tools, tool_choice=tool_choice or ('auto' if tools else 'none'),
            chat_template_kwargs=chat_template_kwargs, reasoning_effort=reasoning_effort)
