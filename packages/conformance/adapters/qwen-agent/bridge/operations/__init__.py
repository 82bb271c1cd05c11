"""Every operation by its name: a function of a request that gives the output, or raises what Qwen-Agent raises."""

from .. import reference
from . import agents, chat, coarse, conversation, formats, keywords, values

FINE = {
    **values.OPERATIONS,
    **formats.OPERATIONS,
    **conversation.OPERATIONS,
    **chat.OPERATIONS,
    **agents.OPERATIONS,
    **keywords.OPERATIONS,
}

OPERATIONS = {**FINE, **coarse.OPERATIONS}


def claims(profile):
    """What this version answers. The coarse operations also for `strict`: well-formed texts."""
    formats_here = [name for name in ('qwen', 'nous', 'react') if name != 'nous' or reference.nous is not None]
    return [
        {'operations': [name for name in FINE if is_here(name)], 'profiles': [profile]},
        {'operations': [*coarse.OPERATIONS, 'stream'], 'formats': formats_here, 'profiles': [profile, 'strict']},
    ]


def is_here(name):
    if name == 'json_loads_lenient':
        return hasattr(reference.utils, 'json_loads')
    # The stream operation is a chat; an unknown format is something that every version has an answer to.
    return reference.nous is not None or not name.startswith('nous.') or name == 'nous.postprocess_stream'
