"""The session protocol, version 1: one JSON map per line. docs/protocol.md describes it."""

import copy
import json
import os
import sys

# Cases with deep nesting are for Qwen-Agent to fail on, not for the reading of a line.
sys.setrecursionlimit(20_000)


class Skipped(Exception):
    """This version of Qwen-Agent has nothing to answer with; the text says what is missing."""


def take_stdout():
    """The stream for answers. What anybody prints goes to stderr from here on: stdout is for answers only."""
    answers = os.fdopen(os.dup(1), 'w', encoding='ascii')
    os.dup2(2, 1)
    return answers


def run(about, operations, answers):
    """Answers requests until `stop` or the end of stdin. `operations`: name -> function of a request."""
    stream = None
    for line in sys.stdin.buffer:
        request = json.loads(line)
        command = request['cmd']
        if command == 'stop':
            return
        if command == 'start':
            send(answers, {'protocol': 1, **about})
        elif command == 'run' and request['op'] == 'stream':
            stream = {'request': request, 'text': ''}
        elif command == 'run':
            send(answers, answer_to(request, operations[request['op']]))
        else:
            stream['text'] += request.get('chunk', '')
            send(answers, answer_to(step_of(stream), operations['parse']))


def step_of(stream):
    """A step of a stream is the reading of all that has come so far."""
    request = stream['request']
    return {**request, 'input': {**request['input'], 'text': stream['text']}}


def answer_to(request, operation):
    seq = request['seq']
    try:
        return {'seq': seq, 'output': operation(copy.deepcopy(request))}
    except Skipped as reason:
        return {'seq': seq, 'skipped': str(reason)}
    except Exception as error:  # Whatever Qwen-Agent raises is its answer.
        return {'seq': seq, 'rejected': error_of(error)}


def send(answers, message):
    try:
        text = json.dumps(message)
    except (TypeError, ValueError, RecursionError) as error:
        text = json.dumps({'seq': message['seq'], 'errored': f'gave what is no JSON: {error}'})
    answers.write(text + '\n')
    answers.flush()


def error_of(error):
    """A raise as cases carry it. Of a validation only the texts: the rest names versions of pydantic."""
    name = type(error).__name__
    if name == 'ValidationError' and hasattr(error, 'errors'):
        return {'type': name, 'message': '; '.join(each['msg'] for each in error.errors())}
    return {'type': name, 'message': str(error)}
