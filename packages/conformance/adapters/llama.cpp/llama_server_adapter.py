"""llama.cpp's own server, as the Python package xllamacpp brings it, behind the callspec protocol; README.md says how."""

import argparse
import json
import os
import re
import sys
import tempfile
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'python-engines'))
from engine_session import load_first, Missing, openai_tools, run, Skipped, special_tokens, started, version_of  # noqa: E402
from said_model import END, model_bytes  # noqa: E402

HINT = 'xllamacpp is not there. Install it: pip install xllamacpp.'
# Longer texts take too long: every question has a model of its own.
MOST_PIECES = 1500
# Further tokens that end a turn, of gpt-oss: a server takes them off the reply.
TURN_ENDS = ['<|call|>', '<|return|>']
# What a prompt ends with where it has opened a thought.
OPEN_THOUGHT = re.compile(r'(?:<(?:mm:)?think(?::opensource)?>|\[THINK\]|<\|START_THINKING\|>|<seed:think>|<\|channel>thought|<\|open\|>think<\|sep\|>)\s*$')
# And where it has closed one: then no reply has a thought.
CLOSED_THOUGHT = re.compile(r'(?:</(?:mm:)?think(?::opensource)?>|\[/THINK\]|<\|END_THINKING\|>|</seed:think>|<channel\|>)\s*$')
# How thoughts are asked for; the names of several templates at once. The last are those of MiniMax-M3, Hy3 and Cohere.
SETTINGS = [
    {}, {'enable_thinking': True, 'thinking': True}, {'enable_thinking': False, 'thinking': False},
    {'thinking_mode': 'enabled'}, {'reasoning_effort': 'high'}, {'reasoning': False},
]


def main():
    given = arguments()
    server, _ = load_first(['xllamacpp:Server'], HINT)
    params, _ = load_first(['xllamacpp:CommonParams'], HINT)
    engine = Engine(given, server, params)
    run({
        'name': 'llama.cpp',
        'version': version_of('xllamacpp'),
        'supports': [{'operations': ['parse', 'stream'], 'formats': given.format, 'profiles': ['strict', 'lenient:*']}],
        'tools': 'offered',
        'thinking': engine.thinking(),
        # The server cuts by itself, at tokens; where a stream of the suite is cut has no effect.
        'cuts': ['tokens'],
    }, lambda asked: Reader(engine, asked))


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument('--template', required=True, help='a file with a chat template')
    parser.add_argument('--format', action='append', required=True)
    parser.add_argument('--cut-by', choices=['length', 'end'], default='length', help='what ends a reply of the topic "cut"')
    given = parser.parse_args()
    with open(os.path.join(HERE, 'templates.json'), encoding='utf-8') as file:
        known = [each for each in json.load(file) if each['file'] == os.path.basename(given.template)]
    tokens = known[0] if known else {}
    given.begin, given.end = tokens.get('bos', END), tokens.get('eos', '<|im_end|>')
    try:
        with open(given.template, encoding='utf-8') as file:
            given.template = file.read()
    except OSError as error:
        raise Missing(f'{given.template}: {error.strerror}. Name the file of a chat template.') from error
    return given


class Engine:
    """Servers for one chat template: one for prompts, and one for each reply."""

    def __init__(self, given, server, params):
        self.server, self.params, self.cut_by = server, params, given.cut_by
        self.own = {'template': given.template, 'special': special_tokens(given.format), 'begin': given.begin, 'end': given.end}
        self.prompts = self.start([], 0, 64)
        self.settings = {}
        for setting in SETTINGS:
            for thinking in beginnings_after(self.template_of(chat([], setting))):
                self.settings.setdefault(thinking, setting)

    def start(self, pieces, before, context):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'said.gguf')
            with open(path, 'wb') as file:
                file.write(model_bytes(pieces, before, **self.own))
            return self.server(self.options(path, context))

    def options(self, path, context):
        options = self.params()
        options.model.path = path
        options.n_ctx, options.n_parallel, options.n_gpu_layers, options.verbosity = context, 1, 0, -1
        options.cpuparams.n_threads = options.cpuparams_batch.n_threads = options.n_threads_http = 1
        options.warmup = options.fit_params = False
        options.use_jinja = True
        return options

    def thinking(self):
        return [each for each in ('opened', 'written', 'none') if each in self.settings]

    def template_of(self, request):
        return self.post('/apply-template', request)['prompt']

    def post(self, path, body):
        data = json.dumps(body).encode()
        request = urllib.request.Request(self.prompts.listening_address + path, data, {'Content-Type': 'application/json'})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise Refused(error.read().decode(errors='replace')) from error

    def say(self, asked, pieces, stream):
        """What the server gives for a reply of these pieces."""
        thinking = asked.get('thinking', 'none')
        request = chat(open_tools(asked), self.settings[thinking])
        prompt = self.template_of(request)
        before = len(self.post('/tokenize', {'content': prompt, 'add_special': True, 'parse_special': True})['tokens'])
        is_cut = '/cut#' in asked['id'] and self.cut_by == 'length'
        limit = len(pieces) if is_cut else len(pieces) + 32
        server = self.start(pieces, before, before + len(pieces) + 64)
        request = {**request, 'max_tokens': limit, 'verbose': True}
        given, said = whole(server, request)
        if said != b''.join(pieces).decode():
            raise Skipped(f'the grammar of the server lets no model write this text: it made {json.dumps(said)} of it')
        return streamed(server, {**request, 'stream': True}) if stream else given


def beginnings_after(prompt):
    """How replies to a prompt begin."""
    if OPEN_THOUGHT.search(prompt):
        return ['opened']
    return ['none'] if CLOSED_THOUGHT.search(prompt) else ['written', 'none']


class Refused(Exception):
    """An error of the server; the message is its body."""


def chat(tools, setting):
    request = {'messages': [{'role': 'user', 'content': 'Hello.'}], 'temperature': 0}
    if tools:
        request.update(tools=tools, parallel_tool_calls=True)
    return {**request, 'chat_template_kwargs': setting} if setting else request


def open_tools(asked):
    """The tools of a case. One that declares no arguments takes any: the grammar of the server would allow none."""
    tools = openai_tools(asked)
    for tool in tools:
        parameters = tool['function']['parameters']
        if parameters.get('type') == 'object' and not parameters.get('properties'):
            tool['function']['parameters'] = {'additionalProperties': True, **parameters}
    return tools


def whole(server, request):
    answer = server.handle_chat_completions(request)
    fail_for(answer)
    message = answer['choices'][0]['message']
    return reading([message]), answer['__verbose']['content']


def streamed(server, request):
    chunks = []
    server.handle_chat_completions(request, lambda given: chunks.extend(given if isinstance(given, list) else [given]))
    for each in chunks:
        fail_for(each)
    return reading([choice['delta'] for each in chunks for choice in each.get('choices', [])])


def fail_for(answer):
    error = answer.get('error') or (answer if 'code' in answer and 'message' in answer else None)
    if error is not None:
        raise Refused(error['message'])


def reading(deltas):
    """Deltas joined, or the message of a whole reply."""
    texts, calls = {'content': '', 'reasoning': ''}, {}
    for delta in deltas:
        texts['content'] += delta.get('content') or ''
        texts['reasoning'] += delta.get('reasoning_content') or ''
        for at, call in enumerate(delta.get('tool_calls') or []):
            index = call.get('index', at)
            known = calls.setdefault(index, {'index': index, 'id': named(call.get('id'), index), 'name': '', 'arguments': ''})
            known['name'] += call['function'].get('name') or ''
            known['arguments'] += call['function'].get('arguments') or ''
    return {**texts, 'calls': [calls[index] for index in sorted(calls)]}


def named(made, index):
    """The id of a call. One that the server makes is drawn by lot, and would differ in every run."""
    return f'made-{index}' if re.fullmatch('[A-Za-z0-9]{32}', made or '') else made


class Reader:
    """A reply is said when it is known whole."""

    def __init__(self, engine, asked):
        self.engine, self.asked, self.chunks = engine, asked, []

    def whole(self, text):
        return self.say(text, False)

    def feed(self, chunk):
        self.chunks.append(chunk)
        return {}

    def end(self):
        return self.say(''.join(self.chunks), True)

    def say(self, text, stream):
        own = self.engine.own
        for end in TURN_ENDS:
            text = text.removesuffix(end)
        if own['end'] in text:
            raise Skipped(f'{json.dumps(own["end"])} in the text ends the turn')
        if '\0' in text or re.search('[\ud800-\udfff]', text):
            raise Skipped('the text has NUL or half a character, which no token holds')
        pieces = pieces_of(text, own['special'])
        if len(pieces) > MOST_PIECES:
            raise Skipped(f'the text has more than {MOST_PIECES} tokens')
        return self.engine.say(self.asked, pieces, stream)


def pieces_of(text, special):
    """Special tokens, words, blanks and signs, as bytes."""
    longest = sorted((token for token in special if token), key=len, reverse=True)
    return [each.encode() for each in re.findall('|'.join([*map(re.escape, longest), r'\w{1,6}|\s|.']), text, re.DOTALL)]


if __name__ == '__main__':
    started(main)
