"""Tools whose results are in the case."""

import builtins
import copy

from . import reference


def scripted_tool(definition, log):
    """A tool that gives one result after the other, the last one again and again. `log` gets every call."""
    calls = 0

    def call(self, params, **kwargs):
        nonlocal calls
        log.append({'tool': definition['name'], 'args': params})
        results = definition['results']
        result = results[min(calls, len(results) - 1)]
        calls += 1
        return give(result)

    made = tool_with(definition, call)
    # Two members of a description that a tool takes from its configuration.
    for key in ('args_format', 'name_for_human'):
        if key in definition:
            made.cfg = {**(getattr(made, 'cfg', None) or {}), key: definition[key]}
    return made


def tool_with(definition, call):
    """A tool as users write them: a class."""
    members = {
        'name': definition['name'],
        'description': definition.get('description', ''),
        'parameters': definition.get('parameters', []),
        'call': call,
    }
    return type('Tool', (reference.BaseTool,), members)()


def give(result):
    if isinstance(result, str):
        return result
    if 'json' in result:
        return copy.deepcopy(result['json'])
    if 'content' in result:
        return [reference.ContentItem(**item) for item in result['content']]
    raise exception_named(result['raise']['type'])(result['raise']['message'])


def exception_named(name):
    """Python's, or Qwen-Agent's, or one made for the occasion."""
    for place in (builtins, reference.tools_base, reference.simple_doc_parser):
        found = getattr(place, name, None)
        if isinstance(found, type) and issubclass(found, BaseException):
            return found
    return type(name, (Exception,), {})
