"""Qwen-Agent's own OpenAI client, with a script in the place of the network, and a record of what it is asked."""

import copy
from types import SimpleNamespace

import openai

from . import reference
from .messages import messages_out
from .session import Skipped


class Record:
    """What reached the client, call by call."""

    def __init__(self):
        self.service_messages = []
        self.wire_messages = []
        self.generate_cfgs = []


class Script:
    """Completions in their order. An entry is a text, {content, reasoning_content}, {chunks} or {error}."""

    def __init__(self, completions):
        self.completions = completions
        self.at = 0

    def next(self):
        if self.at >= len(self.completions):
            raise openai.OpenAIError('no more completions')
        self.at += 1
        return self.completions[self.at - 1]


def scripted_model(completions=(), cfg=None, attach_extra=None, multimodal=False):
    """A chat model and its record. `attach_extra` is put into every message of the client."""
    if attach_extra is not None and 'extra' not in reference.Message.model_fields:
        raise Skipped(f'the messages of Qwen-Agent {reference.VERSION} have no "extra"')
    record = Record()
    script = Script(completions)

    class Client(reference.TextChatAtOAI):

        def __init__(self, cfg=None):
            super().__init__(cfg)
            self._chat_complete_create = lambda *args, **kwargs: complete(script, record, kwargs)

        @property
        def support_multimodal_input(self):
            return multimodal

        def _chat_stream(self, messages, delta_stream, generate_cfg):
            note(record, messages, generate_cfg)
            if multimodal:
                return iter([[assistant_message(script.next())]])
            replies = super()._chat_stream(messages, delta_stream, generate_cfg)
            return (with_extra(reply, attach_extra) for reply in replies)

        def _chat_no_stream(self, messages, generate_cfg):
            note(record, messages, generate_cfg)
            if multimodal:
                return [assistant_message(script.next())]
            return with_extra(super()._chat_no_stream(messages, generate_cfg), attach_extra)

    return Client(copy.deepcopy(cfg or {})), record


def note(record, messages, generate_cfg):
    record.service_messages.append(copy.deepcopy(messages_out(messages)))
    record.generate_cfgs.append(copy.deepcopy(generate_cfg))


def assistant_message(content):
    return reference.Message(role='assistant', content=content)


def with_extra(messages, extra):
    for message in messages if extra is not None else []:
        message.extra = copy.deepcopy(extra)
    return messages


def complete(script, record, request):
    """What the service says to one request of the client, in the shape of the openai package."""
    record.wire_messages.append(copy.deepcopy(request.get('messages')))
    entry = script.next()
    if isinstance(entry, dict) and 'error' in entry:
        raise openai.OpenAIError(entry['error'])
    if request.get('stream'):
        return (chunk_of(part) for part in parts_of(entry))
    members = {'content': entry} if isinstance(entry, str) else {'content': entry.get('content')}
    if isinstance(entry, dict) and 'reasoning_content' in entry:
        members['reasoning_content'] = entry['reasoning_content']
    return choice(message=SimpleNamespace(**members))


def parts_of(entry):
    if isinstance(entry, dict) and 'chunks' in entry:
        return entry['chunks']
    if isinstance(entry, dict) and entry.get('content') and entry.get('reasoning_content'):
        return [{'reasoning_content': entry['reasoning_content']}, {'content': entry['content']}]
    return [entry]


def chunk_of(part):
    if isinstance(part, str):
        part = {'content': part}
    if 'error' in part:
        raise openai.OpenAIError(part['error'])
    calls = part.get('tool_calls')
    return choice(delta=SimpleNamespace(
        content=part.get('content'),
        reasoning_content=part.get('reasoning_content'),
        tool_calls=None if calls is None else [call_of(call) for call in calls],
    ))


def call_of(call):
    function = call.get('function') or call
    return SimpleNamespace(
        id=call.get('id'),
        index=call.get('index'),
        function=SimpleNamespace(name=function.get('name'), arguments=function.get('arguments')),
    )


def choice(**members):
    return SimpleNamespace(choices=[SimpleNamespace(**members)])
