"""Lists the parsers of an installed vLLM or SGLang, and whether each loads: with the import stubs of its adapter, or without any.

    PYTHONPATH=.engines/vllm@0.33.0 python3 list_parsers.py vllm           # stubs for what is not installed, as the adapter has them
    PYTHONPATH=.engines/vllm@0.33.0 python3 list_parsers.py vllm --real    # no stub: needs torch and all other dependencies

Prints one JSON map: engine, version, stubs that were used, and per kind the parsers: true, or the error of the import.
"""

import argparse
import importlib
import json
import logging
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'vllm'), os.path.join(HERE, '..', 'sglang')]
import import_stubs  # noqa: E402
from engine_session import load_first, one_line, started, version_of  # noqa: E402


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('engine', choices=['vllm', 'sglang'])
    parser.add_argument('--real', action='store_true', help='without any stub')
    given = parser.parse_args()
    answers = os.fdopen(os.dup(1), 'w', encoding='utf-8')
    # What an engine prints while it is imported goes to stderr.
    os.dup2(2, 1)
    logging.disable(logging.CRITICAL)
    adapter = importlib.import_module(f'{given.engine}_adapter')
    stubs = [] if given.real else import_stubs.install(adapter.MISSING, adapter.MODELS)
    parsers = (vllm_parsers if given.engine == 'vllm' else sglang_parsers)(adapter)
    answer = {'engine': given.engine, 'version': version_of(given.engine), 'stubs': stubs, **parsers}
    answers.write(json.dumps(answer, indent=2) + '\n')


def vllm_parsers(adapter):
    """Its managers import a parser when it is asked for."""
    tools, _ = load_first(adapter.TOOLS, adapter.HINT)
    reasoning, _ = load_first(adapter.REASONING, adapter.HINT)
    return {
        'tool': {name: loads(lambda name=name: tools.get_tool_parser(name)) for name in sorted(tools.list_registered())},
        'reasoning': {
            name: loads(lambda name=name: reasoning.get_reasoning_parser(name)) for name in sorted(reasoning.list_registered())},
    }


def sglang_parsers(adapter):
    """All of them are imported with their maps; one is made of each."""
    tools, _ = load_first(adapter.CALLS, adapter.HINT)
    reasoning, _ = load_first(adapter.REASONING, adapter.HINT)
    return {
        'tool': {name: loads(lambda name=name: tools([], name)) for name in sorted(tools.ToolCallParserEnum)},
        'reasoning': {name: loads(lambda name=name: reasoning(name)) for name in sorted(reasoning.DetectorMap)},
    }


def loads(make):
    try:
        make()
        return True
    except Exception as error:  # Whatever an import raises.
        return f'{type(error).__name__}: {one_line(error)}'


if __name__ == '__main__':
    started(main)
