"""The parts of SGLang's server that are easily left out, as version 0.5.23 has them."""

import json
from types import SimpleNamespace
from uuid import uuid4

from sglang.srt.function_call.function_call_parser import FunctionCallParser
from sglang.srt.parser.reasoning_parser import ReasoningParser


class OpenAIServingChat:

    def __init__(self, tokenizer_manager, template_manager):
        self.tokenizer_manager, self.template_manager = tokenizer_manager, template_manager
        self.tool_call_parser = tokenizer_manager.config_value('tool_call_parser')
        self.reasoning_parser = tokenizer_manager.config_value('reasoning_parser')

    def _validate_request(self, request):
        types = {tool['function']['parameters']['type'] for tool in request.tools or []}
        return None if types <= {'object'} else "Tool 0 function has invalid 'parameters' schema"

    def parsers(self, request):
        thinks = (request.chat_template_kwargs or {}).get('enable_thinking') is not False
        reasoning = ReasoningParser(
            self.reasoning_parser, self.template_manager.force_reasoning or thinks) if self.reasoning_parser else None
        calls = FunctionCallParser(request.tools, self.tool_call_parser) if request.tools and request.tool_choice != 'none' else None
        return reasoning, calls

    def id_of(self, call):
        return f'functions.{call.name}:{call.tool_index}' if self.tool_call_parser == 'kimi_k2' else f'call_{uuid4().hex}'

    def _build_chat_response(self, request, ret, created):
        text, thought, found = ret[0]['text'], None, []
        reasoning, calls = self.parsers(request)
        if reasoning is not None:
            thought, text = reasoning.parse_non_stream(text)
        if calls is not None and calls.has_tool_call(text):
            text, found = calls.parse_non_stream(text)
        message = SimpleNamespace(reasoning_content=thought, content=text, tool_calls=[
            SimpleNamespace(id=self.id_of(each), function=SimpleNamespace(name=each.name, arguments=each.parameters)) for each in found])
        return SimpleNamespace(choices=[SimpleNamespace(message=message)])

    async def _generate_chat_stream(self, adapted_request, request, raw_request):
        (reasoning, calls), done = self.parsers(request), 0
        async for content in self.tokenizer_manager.generate_request(adapted_request, raw_request):
            delta, done = content['text'][done:], len(content['text'])
            if reasoning is not None:
                thought, delta = reasoning.parse_stream_chunk(delta)
                yield event(reasoning_content=thought)
            found = []
            if calls is not None:
                delta, found = calls.parse_stream_chunk(delta)
            yield event(content=delta)
            for each in found:
                yield event(tool_calls=[{
                    'index': each.tool_index, 'id': self.id_of(each), 'function': {'name': each.name, 'arguments': each.parameters}}])
            if content['meta_info']['finish_reason'] is not None and calls is not None and calls.detector.prev_tool_call_arr:
                at = len(calls.detector.prev_tool_call_arr) - 1
                whole = json.dumps(calls.detector.prev_tool_call_arr[at]['arguments'])
                rest = whole[len(calls.detector.streamed_args_for_tool[at]):]
                yield event(tool_calls=[{'index': at, 'id': None, 'function': {'name': None, 'arguments': rest}}])
        yield 'data: [DONE]\n\n'


def event(**delta):
    return f'data: {json.dumps({"choices": [{"delta": delta}]})}\n\n'
