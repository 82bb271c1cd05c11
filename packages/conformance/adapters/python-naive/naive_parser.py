"""A deliberately naive parser of <tool_call> texts behind the callspec protocol. Standard library only.

    callspec conformance run --impl 'python3 naive_parser.py' --format nous

What it fails is the point: adapters/README.md has the list.
"""

import json
import re
import sys

CALL = re.compile(r'<tool_call>(.*?)</tool_call>', re.DOTALL)


def parse(text):
    """Calls are what stands between the markers; everything else is content."""
    calls = [json.loads(body) for body in CALL.findall(text)]
    return {
        'content': CALL.sub('', text),
        'calls': [{'name': call['name'], 'arguments': call['arguments']} for call in calls],
    }


def answer(seq, text):
    try:
        return {'seq': seq, 'output': parse(text)}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        return {'seq': seq, 'rejected': {'type': type(error).__name__, 'message': str(error)}}


def main():
    text = ''
    for line in sys.stdin:
        request = json.loads(line)
        command = request['cmd']
        if command == 'stop':
            return
        if command == 'start':
            send({
                'protocol': 1,
                'name': 'python-naive',
                'version': '1.0.0',
                'language': 'python',
                'supports': [{'operations': ['parse', 'stream'], 'formats': ['nous'], 'profiles': ['strict']}],
            })
        elif command == 'run' and request['op'] == 'stream':
            # No answer yet: the pieces follow, each to be answered.
            text = ''
        elif command == 'run':
            send(answer(request['seq'], request['input']['text']))
        else:
            text += request.get('chunk', '')
            send(answer(request['seq'], text))


def send(message):
    print(json.dumps(message), flush=True)


if __name__ == '__main__':
    main()
