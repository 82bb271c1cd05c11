"""A chat template, rendered by Jinja2 as transformers does, behind the callspec protocol; README.md says how."""

import argparse
import datetime
import hashlib
import json
import os
import sys

import jinja2
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--template', required=True, help='a .jinja file')
    parser.add_argument('--format', default='nous')
    given = parser.parse_args()
    try:
        with open(given.template, 'rb') as file:
            source = file.read()
        template = environment().from_string(source.decode('utf-8'))
    except (OSError, UnicodeDecodeError, jinja2.TemplateSyntaxError) as error:
        sys.exit(f'{given.template}: is no chat template: {error}')
    answer_all(template, {
        'protocol': 1,
        'name': f'Jinja2 {os.path.basename(given.template)}',
        'version': jinja2.__version__,
        'language': 'python',
        'supports': [{
            'operations': ['render'],
            'formats': [given.format],
            'profiles': [f'chat-template@{hashlib.sha256(source).hexdigest()[:12]}'],
        }],
    })


def environment():
    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    env.filters['tojson'] = to_json
    env.globals['raise_exception'] = refuse
    return env


def to_json(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def refuse(message):
    raise jinja2.TemplateError(message)


def answer_all(template, about):
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if request['cmd'] == 'stop':
            return
        if request['cmd'] == 'start':
            send(about)
        elif request['cmd'] == 'run':
            send({'seq': request['seq'], **rendered(template, request['input'])})


def rendered(template, given):
    # What a template's author may ask for: all members of the question, and what transformers sets by itself.
    variables = {
        'add_generation_prompt': True,
        'strftime_now': clock(given.get('today')),
        **given,
        'tools': given.get('tools') or None,
    }
    try:
        return {'output': {'text': template.render(**variables)}}
    except Exception as error:  # Whatever a template raises is its answer.
        return {'rejected': {'type': type(error).__name__, 'message': str(error)}}


def clock(today):
    # A case names the day that a template may ask for: its answer is the same tomorrow.
    now = datetime.datetime.now() if today is None else datetime.datetime.fromisoformat(today)
    return lambda form: now.strftime(form)


def send(message):
    sys.stdout.write(json.dumps(message) + '\n')
    sys.stdout.flush()


if __name__ == '__main__':
    main()
