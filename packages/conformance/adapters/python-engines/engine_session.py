"""What adapters of Python engines share: the session protocol, version 1 (docs/protocol.md), and a plain tokenizer."""

import importlib
import json
import os
import random
import re
import sys
import time
import uuid

# Cases with deep nesting are for the engine to fail on, not for the reading of a line.
sys.setrecursionlimit(20_000)


class Missing(Exception):
    """Something that the user has to install or to name."""


class Skipped(Exception):
    """Why an engine cannot be asked this."""


def load_first(paths, hint):
    """The first of `module:name` that can be imported: engines move their classes. Says what was tried, and what to do."""
    failures = []
    for path in paths:
        module, _, name = path.partition(':')
        try:
            return getattr(importlib.import_module(module), name), path
        except Exception as error:  # Whatever an import raises: a TypeError where two packages do not fit.
            failures.append(f'{path} ({type(error).__name__}: {one_line(error)})')
    raise Missing(f'{hint} Tried: {"; ".join(failures)}')


def one_line(error):
    return ' '.join(str(error).split())[:300]


def version_of(package):
    """The installed version; `unknown` for sources without one."""
    try:
        return importlib.import_module('importlib.metadata').version(package)
    except Exception:  # PackageNotFoundError, and packages that are broken in other ways.
        return getattr(importlib.import_module(package), '__version__', 'unknown')


def run(about, open_reader, render=None, response_template=None):
    """Answers requests until `stop`. `open_reader(input)` returns an object with `whole(text)`, `feed(chunk)` and `end()`; the
    input has `id` and `plain`, too. `render(input)` returns a prompt as text, `response_template(input)` the whole output."""
    answers = os.fdopen(os.dup(1), 'w', encoding='ascii')
    # What an engine prints goes to stderr: stdout is for answers only.
    os.dup2(2, 1)
    # The ids that engines make are drawn from `random`, so that equal questions have equal answers.
    uuid.uuid4 = lambda: uuid.UUID(int=random.getrandbits(128), version=4)
    reader, half = None, ''
    for line in sys.stdin.buffer:
        request = json.loads(line)
        command = request['cmd']
        if command == 'stop':
            return
        if command == 'start':
            send(answers, {'protocol': 1, 'language': 'python', **about})
            continue
        if command == 'run':
            random.seed(0)
            half = ''
            given = {**request['input'], 'id': request['id'], 'plain': request.get('plain', [])}
            if request['op'] == 'render':
                send(answers, Guarded(lambda: None).answer(request['seq'], lambda _, given=given: {'text': render(given)}))
                continue
            if request['op'] == 'response_template':
                send(answers, Guarded(lambda: None).answer(request['seq'], lambda _, given=given: response_template(given)))
                continue
            reader = Guarded(lambda given=given: open_reader(given))
            if request['op'] == 'parse':
                send(answers, reader.answer(request['seq'], lambda own: own.whole(request['input']['text'])))
        elif command == 'feed':
            chunk, half = whole_characters(half + request['chunk'])
            send(answers, reader.answer(request['seq'], lambda own: {'delta': own.feed(chunk)}))
        elif command == 'end':
            send(answers, reader.answer(request['seq'], lambda own: {'delta': own.end()}))


def whole_characters(text):
    """A chunk with whole characters only, and the half that ends it: servers wait for the rest of a character."""
    joined = text.encode('utf-16-le', 'surrogatepass').decode('utf-16-le', 'surrogatepass')
    return (joined[:-1], joined[-1]) if joined and '\ud800' <= joined[-1] <= '\udbff' else (joined, '')


# Seconds of computing time for one reply; a time on the clock would depend on what else the machine does.
LONGEST = 5


class Guarded:
    """A reader whose exceptions are answers: after one, a stream has no other."""

    def __init__(self, opening):
        self.opening = opening
        self.reader = None
        self.error = None
        self.end = time.process_time() + LONGEST

    def answer(self, seq, asked):
        if time.process_time() > self.end:
            return {'seq': seq, 'errored': f'needed more than {LONGEST} s of computing time'}
        if self.error is None:
            try:
                if self.reader is None:
                    self.reader = self.opening()
                return {'seq': seq, 'output': asked(self.reader)}
            except Skipped as reason:
                return {'seq': seq, 'skipped': str(reason)}
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


class Pieces:
    """The tokens of a reply that comes in pieces: a special token where its text is, and what `encode` makes of the texts between them.
    In `plain`, ranges of characters of the reply, a model wrote markers in characters."""

    def __init__(self, encode, special, plain=()):
        self.encode, self.special, self.plain, self.at = encode, special, plain, 0
        self.pattern = re.compile('|'.join(map(re.escape, sorted(special, key=len, reverse=True))))

    def take(self, text):
        if any(0xd800 <= ord(each) < 0xe000 for each in text):
            raise Skipped('a lone surrogate, which no token has')
        start, self.at = self.at, self.at + len(text)
        ids, done = [], 0
        for found in self.pattern.finditer(text):
            if any(first <= start + found.start() < last for first, last in self.plain):
                continue
            ids += [*self.encoded(text[done:found.start()]), self.special[found[0]]]
            done = found.end()
        return ids + self.encoded(text[done:])

    def encoded(self, text):
        return self.encode(text) if text else []


class PlainTokenizer:
    """Numbers tokens where no tokenizer is installed: each special token of the format is one, and so is a word, a blank or a
    sign. A number that an engine asks for by an ordinary text, such as `</`, is that of a token."""

    def __init__(self, special=()):
        self.numbers = Vocabulary()
        self.special = list(special)
        ends = [each for each in self.special if each in END_TOKENS]
        self.all_special_tokens = ends
        self.all_special_ids = [self.numbers[each] for each in ends]
        # Tokenizers of Hy3 say what follows the name of every tag.
        suffixes = [found[1] for each in self.special if (found := re.fullmatch(r'<think(:[^>]+)>', each))]
        self.init_kwargs = {'token_suffix': suffixes[0]} if suffixes else {}
        for each in self.special:
            self.numbers[each]
        longest = sorted(self.special, key=len, reverse=True)
        self.pattern = re.compile('|'.join([*map(re.escape, longest), PLAIN_TOKEN]), re.DOTALL)

    def get_vocab(self):
        return self.numbers

    @property
    def vocab(self):
        return self.numbers

    def convert_tokens_to_ids(self, tokens):
        return self.numbers[tokens] if isinstance(tokens, str) else [self.numbers[each] for each in tokens]

    def tokenize(self, text):
        return self.pattern.findall(text)

    def encode(self, text, **_):
        return [self.numbers[each] for each in self.tokenize(text)]

    def encode_plain(self, text):
        """The tokens of a text in which a model writes markers in pieces."""
        return [self.numbers[each] for each in re.findall(PLAIN_TOKEN, text, re.DOTALL)]

    def decode(self, ids, **_):
        return ''.join(self.numbers.texts[each] for each in ([ids] if isinstance(ids, int) else ids))


PLAIN_TOKEN = r'</|\w+|\s|.'

# Tokens that end a turn, of all formats; servers leave them out of the text.
END_TOKENS = {
    '<|im_end|>', '<|endoftext|>', '<|eot_id|>', '<|eom_id|>', '<|end_of_text|>', '<|eot|>', '<|eom|>', '<|end|>', '</s>',
    '<｜end▁of▁sentence｜>', '<turn|>', '<end_of_turn>', '[e~[', '<seed:eos>', '<|end_of_msg|>', '<|END_OF_TURN_TOKEN|>',
    '<|observation|>', '<|user|>', '<｜hy_eos:opensource｜>', '<|message_sep|>', '<|eos|>', '<|assistant_end|>',
    '<|role_end|>', '</assistant>', '〈|EOS|〉', '<sep>',
}


class Vocabulary(dict):
    """Numbers texts as they come."""

    def __init__(self):
        super().__init__()
        self.texts = []

    def __missing__(self, text):
        self.texts.append(text)
        self[text] = len(self.texts) - 1
        return self[text]


# Such tokens where they end a message, and another one of the same reply follows.
BETWEEN = {'muse-glimmer': ['<|eom|>']}


def end_tokens(formats):
    """The special tokens of formats that end a reply."""
    between = [token for each in formats for token in BETWEEN.get(each, [])]
    return [each for each in special_tokens(formats) if each in END_TOKENS and each not in between]


def in_versions(formats, versions):
    """Formats by the names that `special_tokens` knows: `glm-4.7@ling-3` is a version of `glm-4.7`."""
    return [f'{each}@{version}' for each in formats for version in versions] if versions else formats


def special_tokens(formats):
    """The special tokens of formats, as callspec knows them; a version without its own has those of the format."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'special_tokens.json')
    with open(path, encoding='utf-8') as file:
        known = json.load(file)
    lists = [known.get(each, known.get(each.partition('@')[0], [])) for each in formats]
    return list(dict.fromkeys(token for each in lists for token in each))


def tokenizer_from(folder, special=()):
    """The tokenizer of a folder or model, by transformers; the plain one where no folder is named."""
    if folder is None:
        return PlainTokenizer(special)
    auto, _ = load_first(['transformers:AutoTokenizer'], '--tokenizer needs transformers: pip install transformers.')
    return auto.from_pretrained(folder)


def started(main):
    """Runs an adapter; what is missing is one line, and exit code 1."""
    try:
        main()
    except Missing as error:
        sys.exit(str(error))
