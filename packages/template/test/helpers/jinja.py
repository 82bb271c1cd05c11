"""Renders templates as transformers does: reads lines {"source", "variables"}, writes lines {"text"} or {"raise", "kind"}.

Variables are JSON text, so that they are read as `json.loads` reads them. The first line written names the versions.
"""

import json
import signal
import sys
from datetime import datetime

import jinja2
from jinja2 import nodes
from jinja2.exceptions import TemplateError
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

NOW = datetime(2026, 1, 15, 12, 0, 0)


class Refusal(TemplateError):
    pass


class Slow(BaseException):
    pass


def raise_exception(message):
    raise Refusal(message)


def strftime_now(format):
    return NOW.strftime(format)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


class Generation(Extension):
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller):
        return caller()


def environment():
    env = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols], cache_size=0
    )
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = strftime_now
    return env


def stop(*_):
    raise Slow()


def answer(env, line):
    pair = json.loads(line)
    signal.setitimer(signal.ITIMER_REAL, 5)
    try:
        return {"text": env.from_string(pair["source"]).render(**json.loads(pair["variables"]))}
    except Refusal as error:
        return {"raise": str(error), "kind": "raise_exception"}
    except Slow:
        return {"slow": True}
    except Exception as error:
        return {"raise": str(error), "kind": type(error).__name__, "line": getattr(error, "lineno", None)}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def main():
    signal.signal(signal.SIGALRM, stop)
    env = environment()
    versions = {"jinja2": getattr(jinja2, "__version__", "3"), "python": sys.version.split()[0]}
    print(json.dumps(versions), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(env, line)), flush=False)
    sys.stdout.flush()


main()
