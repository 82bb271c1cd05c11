"""A reader of `<tool_call>…</tool_call>` for the stand-ins: what they stand in for is the interface around it."""

import json
import re

OPEN, CLOSE = '<tool_call>', '</tool_call>'
CALL = re.compile(f'{OPEN}(.*?){CLOSE}', re.DOTALL)


def read(text):
    """Content in front of the first call, and the calls."""
    calls = [json.loads(body) for body in CALL.findall(text)]
    return text.split(OPEN)[0], [(call['name'], json.dumps(call['arguments'])) for call in calls]


def thought(text):
    """Thought and rest."""
    before, mark, after = text.partition('</think>')
    return (before.replace('<think>', ''), after) if mark else ('', text)


class Growth:
    """What is new in a reading after each piece; whole calls at once."""

    def __init__(self):
        self.text, self.content, self.calls = '', '', 0

    def feed(self, piece):
        self.text += piece
        content, calls = read(self.text)
        if '<' in content:
            content = content[:content.index('<')]
        new, more = content[len(self.content):], calls[self.calls:]
        first, self.content, self.calls = self.calls, content, len(calls)
        return new, [(first + at, *call) for at, call in enumerate(more)]
