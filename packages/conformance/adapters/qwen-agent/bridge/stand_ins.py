"""Makes Qwen-Agent importable where only a part of what it depends on is installed.

Message handling, prompts, parsers and agents need pydantic, json5, jsonschema, requests and a byte-pair encoder. All
other packages (dashscope, pandas, a browser, …) are only imported. Whatever is installed is used; for what is missing
something stands in: for tiktoken a small encoder, for openai the two names that count, for the rest a module in which
every name is a class that does nothing.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import logging
import os
import sys
import types
import warnings

from . import byte_pairs

# Without these nothing that is compared would be Qwen-Agent's own doing.
REQUIRED = ('pydantic', 'json5', 'jsonschema', 'requests', 'regex')


def install(checkout):
    """Call it before qwen_agent is imported. Ends the program where something required is missing."""
    if checkout:
        if not os.path.isdir(os.path.join(checkout, 'qwen_agent')):
            sys.exit(f'{checkout}: there is no folder "qwen_agent" in it. Name a checkout of QwenLM/Qwen-Agent.')
        sys.path.insert(0, checkout)
    for key in [key for key in os.environ if key.startswith('QWEN_AGENT_') or key == 'SPECIAL_CODE_MODE']:
        del os.environ[key]
    missing = [name for name in REQUIRED if importlib.util.find_spec(name) is None]
    if importlib.util.find_spec('qwen_agent') is None:
        missing.insert(0, 'qwen_agent')
    if missing:
        sys.exit(f'not importable: {", ".join(missing)}. README.md says where to get them.')
    # Imported before the finder is there: they look for optional packages of their own, and must not find stand-ins.
    for name in (*REQUIRED, 'jsonschema.validators', 'pydantic.deprecated.decorator'):
        importlib.import_module(name)
    # Qwen-Agent logs every call of a model, and pydantic wonders about what Qwen-Agent puts into its messages.
    logging.disable(logging.CRITICAL)
    warnings.simplefilter('ignore')
    if importlib.util.find_spec('tiktoken') is None:
        sys.modules['tiktoken'] = byte_pairs.as_tiktoken()
    if importlib.util.find_spec('openai') is None:
        sys.modules['openai'] = openai_stand_in()
    sys.meta_path.append(Finder())


def openai_stand_in():
    """The client is replaced by a scripted one; only its error class is used."""
    module = types.ModuleType('openai')
    module.__version__ = '1.50.0'
    module.OpenAIError = type('OpenAIError', (Exception,), {})
    module.OpenAI = type('OpenAI', (), {})
    return module


class Nothing:
    """Can be made, called, and used as a decorator."""

    def __init__(self, *args, **kwargs):
        pass

    def __call__(self, *args, **kwargs):
        return args[0] if args and callable(args[0]) else self

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return Nothing()


class StandIn(types.ModuleType):
    """A module in which every name is a class of its own that does nothing."""

    __version__ = '1.0'

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return type(name, (Nothing,), {})


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Stands last in line: asked for what nobody else has found."""

    # What Qwen-Agent looks for and can do without: it must go on without it.
    LEFT_OUT = ('qwen_agent', 'diskcache', 'json5')

    def find_spec(self, name, path, target=None):
        top = name.partition('.')[0]
        if top in self.LEFT_OUT or ('.' in name and not isinstance(sys.modules.get(top), StandIn)):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = StandIn(spec.name)
        module.__path__ = []
        return module

    def exec_module(self, module):
        pass
