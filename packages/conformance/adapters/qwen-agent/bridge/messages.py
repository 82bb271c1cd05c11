"""Messages in and out."""

import inspect
import os

from . import reference


def messages_in(request, key='messages'):
    return [reference.Message(**each) for each in request['input'][key]]


def message_in(request):
    return reference.Message(**request['input']['message'])


def messages_out(messages):
    return [message_out(each) for each in messages]


def message_out(message):
    return message if isinstance(message, dict) else message.model_dump()


def language(request, messages):
    """The language that is asked for; otherwise that of the messages."""
    asked = request['input'].get('lang')
    if asked in ('en', 'zh'):
        return asked
    return 'zh' if reference.utils.has_chinese_messages(messages) else 'en'


def shared_arguments(function, given, names):
    """Those of `names` that are given and that this version's function takes."""
    known = inspect.signature(function).parameters
    return {name: given[name] for name in names if name in known and name in given}


def set_code_mode(is_on):
    """Read from the environment when Qwen-Agent is imported, or later."""
    os.environ['SPECIAL_CODE_MODE'] = 'true' if is_on else 'false'
    if reference.nous is not None and hasattr(reference.nous, 'SPECIAL_CODE_MODE'):
        reference.nous.SPECIAL_CODE_MODE = bool(is_on)
