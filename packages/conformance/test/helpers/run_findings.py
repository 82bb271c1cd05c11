"""Runs pieces of code after each other, as a user would who has the engine, and prints as JSON what each has printed.

Its argument is the engine.json; the code comes as a JSON list on stdin. Stubs replace what the row of the engine does not have."""

import contextlib
import io
import json
import logging
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../adapters/python-engines'))
import import_stubs  # noqa: E402

with open(sys.argv[1], encoding='utf-8') as file:
    names = json.load(file)['stubs']
import_stubs.install([each for each in names if '.' not in each], [each for each in names if '.' in each])
logging.disable(logging.CRITICAL)

shared, printed = {}, []
for code in json.load(sys.stdin):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(code, shared)
    printed.append(out.getvalue())
print(json.dumps(printed))
