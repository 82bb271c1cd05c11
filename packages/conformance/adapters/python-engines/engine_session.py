"""What adapters of Python engines share: the session protocol, version 1 (docs/protocol.md), and what stands in for a tokenizer."""

import importlib
import json
import os
import re
import sys

# Cases with deep nesting are for the engine to fail on, not for the reading of a line.
sys.setrecursionlimit(20_000)


class Missing(Exception):
    """Something that the user has to install or to name."""


def load_first(paths, hint):
    """The first of `module:name` that can be imported: engines move their classes. Says what was tried, and what to do."""
    failures = []
    for path in paths:
        module, _, name = path.partition(':')
        try:
            return getattr(importlib.import_module(module), name), path
        except (ImportError, AttributeError) as error:
            failures.append(f'{path} ({error})')
    raise Missing(f'{hint} Tried: {"; ".join(failures)}')


def version_of(package):
    """The installed version; `unknown` for sources without one."""
    try:
        return importlib.import_module('importlib.metadata').version(package)
    except Exception:  # PackageNotFoundError, and packages that are broken in other ways.
        return getattr(importlib.import_module(package), '__version__', 'unknown')


def run(about, open_reader):
    """Answers requests until `stop`. `open_reader(input)` gives what has `whole(text)`, `feed(chunk)` and `end()`."""
    answers = os.fdopen(os.dup(1), 'w', encoding='ascii')
    # What an engine prints goes to stderr: stdout is for answers only.
    os.dup2(2, 1)
    reader = None
    for line in sys.stdin.buffer:
        request = json.loads(line)
        command = request['cmd']
        if command == 'stop':
            return
        if command == 'start':
            send(answers, {'protocol': 1, 'language': 'python', **about})
            continue
        if command == 'run':
            reader = Guarded(lambda given=request['input']: open_reader(given))
            if request['op'] == 'parse':
                send(answers, reader.answer(request['seq'], lambda own: own.whole(request['input']['text'])))
        elif command == 'feed':
            send(answers, reader.answer(request['seq'], lambda own: {'delta': own.feed(request['chunk'])}))
        elif command == 'end':
            send(answers, reader.answer(request['seq'], lambda own: {'delta': own.end()}))


class Guarded:
    """A reader whose exceptions are answers: after one, a stream has no other."""

    def __init__(self, opening):
        self.opening = opening
        self.reader = None
        self.error = None

    def answer(self, seq, asked):
        if self.error is None:
            try:
                if self.reader is None:
                    self.reader = self.opening()
                return {'seq': seq, 'output': asked(self.reader)}
            except Exception as error:  # Whatever an engine raises is its answer.
                self.error = {'type': type(error).__name__, 'message': str(error)}
        return {'seq': seq, 'rejected': self.error}


def send(answers, message):
    try:
        text = json.dumps(message)
    except (TypeError, ValueError, RecursionError) as error:
        text = json.dumps({'seq': message['seq'], 'errored': f'gave what is no JSON: {error}'})
    answers.write(text + '\n')
    answers.flush()


def openai_tools(given):
    """The tools of a case as requests carry them, which is how cases of most formats have them."""
    return [{
        'type': 'function',
        'function': {
            'name': tool['name'],
            'description': tool.get('description') or '',
            'parameters': tool['parameters'] if isinstance(tool.get('parameters'), dict) else {'type': 'object'},
        },
    } for tool in (each.get('function', each) for each in given.get('tools') or [])]


class PlainTokenizer:
    """Stands in where no tokenizer is named: a word, a number or a sign is a token, and so is every text whose number
    the engine asks for, such as its markers. Numbers are given as they are asked for."""

    def __init__(self):
        self.numbers = Vocabulary()
        self.all_special_tokens = []
        self.all_special_ids = []

    def get_vocab(self):
        return self.numbers

    @property
    def vocab(self):
        return self.numbers

    def convert_tokens_to_ids(self, tokens):
        return self.numbers[tokens] if isinstance(tokens, str) else [self.numbers[each] for each in tokens]

    def tokenize(self, text):
        markers = sorted((each for each in self.numbers.asked if each), key=len, reverse=True)
        pattern = '|'.join([*map(re.escape, markers), r'\w+', r'\s', r'.'])
        return re.findall(pattern, text, re.DOTALL)

    def encode(self, text, **_):
        return [self.numbers.number(each) for each in self.tokenize(text)]

    def decode(self, ids, **_):
        return ''.join(self.numbers.texts[each] for each in ([ids] if isinstance(ids, int) else ids))


class Vocabulary(dict):
    """Has every text; those that were asked for by name are markers."""

    def __init__(self):
        super().__init__()
        self.asked = set()
        self.texts = []

    def number(self, text):
        if not super().__contains__(text):
            self.texts.append(text)
            super().__setitem__(text, len(self.texts) - 1)
        return super().__getitem__(text)

    def __missing__(self, text):
        self.asked.add(text)
        return self.number(text)

    def get(self, text, default=None):
        self.asked.add(text)
        return self.number(text)

    def __contains__(self, text):
        self.asked.add(text)
        return True


def tokenizer_from(folder):
    """The tokenizer of a folder or model, by transformers; the plain one where none is named."""
    if folder is None:
        return PlainTokenizer()
    auto, _ = load_first(['transformers:AutoTokenizer'], '--tokenizer needs transformers: pip install transformers.')
    return auto.from_pretrained(folder)


def started(main):
    """Runs an adapter; what is missing is one line, and exit code 1."""
    try:
        main()
    except Missing as error:
        sys.exit(str(error))
