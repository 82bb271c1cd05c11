"""vLLM's own parsers behind the callspec protocol, asked as its server asks them; README.md says how."""

import argparse
import functools
import logging
import os
import sys
import types

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'python-engines'))
from engine_session import (  # noqa: E402
    end_tokens, in_versions, load_first, Missing, one_line, openai_tools, run, Skipped, special_tokens, started, tokenizer_from,
    version_of)
import import_stubs  # noqa: E402

# Newest first: the engine moved them, and releases have either.
UNIFIED = ['vllm.parser.parser_manager:ParserManager', 'vllm.parser:ParserManager']
# Since 0.33 the server turns what a parser gives into messages here.
STREAMS = ['vllm.entrypoints.openai.chat_completion.stream_processor:ChatStreamProcessor']
MESSAGES = ['vllm.entrypoints.openai.chat_completion.message_assembly:assemble_chat_message_fields']
TOOLS = ['vllm.tool_parsers:ToolParserManager', 'vllm.entrypoints.openai.tool_parsers:ToolParserManager']
REASONING = ['vllm.reasoning:ReasoningParserManager']
REQUESTS = [
    'vllm.entrypoints.openai.chat_completion.protocol:ChatCompletionRequest',
    'vllm.entrypoints.openai.protocol:ChatCompletionRequest',
]
HINT = 'vLLM has no such class here. Install it: pip install vllm.'

# Packages of several gigabytes that no parser uses. Where one is absent, the parts of vLLM that run models are stubs, too.
MISSING = ['torch', 'triton']
MODELS = ['vllm.config', 'vllm.distributed', 'vllm.env_override', 'vllm.model_executor', 'vllm.multimodal', 'vllm.platforms',
          'vllm.v1.attention', 'vllm.v1.core', 'vllm.v1.engine', 'vllm.v1.executor', 'vllm.v1.worker']

# Reasoning parsers of models whose prompt always opens the thought, or never closes it: a reply without a thought cannot be read.
ALWAYS_THINK = ['deepseek_r1', 'minimax_m2']


def main():
    given = arguments()
    logging.disable(logging.CRITICAL)
    import_stubs.install(MISSING, MODELS)
    request_of, _ = load_first(REQUESTS, HINT)
    open_parser, streams = newest(given)
    names = [name for name in (given.tool_parser, given.reasoning_parser) if name is not None]

    def open_reader(asked):
        settings = {'chat_template_kwargs': switches(thinking(asked))}
        request = request_of(model='m', messages=[{'role': 'user', 'content': 'x'}], **settings, **choice(asked))
        return open_parser(Tokens(given, asked), request)

    # A parser that is not there is reported at once, not case by case.
    open_reader({})
    run({
        'name': f'vLLM {" + ".join(names)}',
        'version': version_of('vllm'),
        'supports': [{
            'operations': ['parse', 'stream'] if streams else ['parse'],
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
    parser.add_argument('--parser', help='both in one word: hermes+qwen3')
    parser.add_argument('--tool-parser')
    parser.add_argument('--reasoning-parser')
    parser.add_argument('--tokenizer', help='folder or name; default: special tokens of the format, words and signs')
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


def thinking_of(given):
    if given.reasoning_parser is None:
        return ['none']
    return ['opened', 'written'] + ([] if given.reasoning_parser in ALWAYS_THINK else ['none'])


def thinking(asked):
    return asked.get('thinking', 'opened' if asked.get('thought_in_content') else 'written')


def switches(where):
    """What chat templates take to open a thought, to leave it to the model, or to have none. A model knows one of them."""
    thinks = where != 'none'
    # The last two are those of MiniMax-M3 and of Hy3.
    return {
        'enable_thinking': thinks, 'thinking': thinks,
        'thinking_mode': {'opened': 'enabled', 'none': 'disabled'}.get(where, 'adaptive'),
        'reasoning_effort': 'high' if thinks else 'no_think',
    }


def choice(asked):
    """Tools and their choice, as a request has them."""
    tools = openai_tools(asked)
    wanted = asked.get('tool_choice', 'auto')
    if wanted not in ('auto', 'none'):
        raise Skipped('a choice of one tool makes the server constrain the reply to arguments of that tool')
    return {'tools': tools, 'tool_choice': wanted} if tools else {}


class Tokens:
    """The tokens of one reply, and those of the prompt before it."""

    def __init__(self, given, asked):
        self.tokenizer = harmony_tokenizer() if is_harmony(given) else tokenizer_from(
            given.tokenizer, special_tokens(given.vocabulary))
        self.thinking = thinking(asked)
        self.plain = asked.get('plain') or []
        self.given, self.at = given, 0
        self.ends = [] if is_harmony(given) else end_tokens(given.vocabulary)

    def take(self, text):
        """The tokens of the next piece of the reply."""
        start, self.at = self.at, self.at + len(text)
        ids, done = [], 0
        for first, last in self.plain:
            first, last = max(first - start, done), min(last - start, len(text))
            if first < last:
                ids += self.tokenizer.encode(text[done:first]) + self.tokenizer.encode_plain(text[first:last])
                done = last
        return ids + self.tokenizer.encode(text[done:])

    def before_end(self, text):
        """The next piece without the token that ends a reply, which is no part of its text, and that token."""
        for token in self.ends:
            place = self.at + len(text) - len(token)
            if text.endswith(token) and not any(first <= place < last for first, last in self.plain):
                return text[:-len(token)], token
        return text, ''

    def end(self):
        """The token that ends a reply. Harmony's are part of the text of a case."""
        return [] if is_harmony(self.given) else self.tokenizer.encode(self.ends[0] if self.ends else '\n\n')[:1]

    def prompt(self, reasoning):
        """The end of a rendered prompt: the turn of the model, and its thought where the template opens or closes one."""
        first, last = thought_marks(reasoning)
        thought = {'opened': f'{first}\n', 'none': f'{first}\n\n{last}\n\n'}.get(self.thinking, '') if first else ''
        return self.end() + self.tokenizer.encode(f'assistant\n{thought}')


def thought_marks(reasoning):
    marks = [getattr(reasoning, name, None) for name in ('reasoning_start_str', 'reasoning_end_str')]
    return marks if all(isinstance(each, str) and each for each in marks) else ('', '')


def is_harmony(given):
    return given.tool_parser == 'openai' or given.reasoning_parser == 'openai_gptoss'


@functools.cache
def harmony_tokenizer():
    """The real one, which the maker's package has."""
    load, _ = load_first(['openai_harmony:load_harmony_encoding'], 'The parser openai needs it: pip install oss-harmony.')
    names, _ = load_first(['openai_harmony:HarmonyEncodingName'], HINT)
    encoding = load(names.HARMONY_GPT_OSS)
    special = {each: encoding.encode(each, allowed_special='all')[0] for each in encoding.special_tokens_set}
    return types.SimpleNamespace(
        all_special_tokens=[], all_special_ids=[], get_vocab=lambda: special,
        encode=lambda text, **_: encoding.encode(text, allowed_special='all'),
        encode_plain=lambda text: encoding.encode(text, disallowed_special=()),
        decode=lambda ids, **_: encoding.decode([ids] if isinstance(ids, int) else list(ids)))


def newest(given):
    """What opens a parser in this version, and whether streams can be asked."""
    try:
        manager, _ = load_first(UNIFIED, HINT)
    except Missing as missing:
        return before_unified(given, missing)
    harmony = {'is_harmony': True} if is_harmony(given) else {}
    try:
        parser = manager.get_parser(given.tool_parser, given.reasoning_parser, enable_auto_tools=True, **harmony)
    except (TypeError, KeyError) as error:
        raise Missing(f'vLLM {version_of("vllm")}: {one_line(error.__cause__ or error)}') from error
    message, stream = (optional(each) for each in (MESSAGES, STREAMS))
    return (lambda tokens, request: Unified(parser, tokens, request, message, stream)), True


def optional(paths):
    try:
        return load_first(paths, HINT)[0]
    except Missing:
        return None


def before_unified(given, missing):
    try:
        tool = named(TOOLS, 'get_tool_parser', given.tool_parser)
        reasoning = named(REASONING, 'get_reasoning_parser', given.reasoning_parser)
    except Missing as older:
        raise Missing(f'{older} {missing}' if 'has no such class' in str(older) else str(older)) from older
    # How the server hands over from one parser to the other is not theirs: such a stream is not asked.
    return (lambda tokens, request: Separate(tool, reasoning, tokens, request)), reasoning is None


def named(managers, method, name):
    if name is None:
        return None
    manager, _ = load_first(managers, HINT)
    try:
        return getattr(manager, method)(name)
    except KeyError as error:
        raise Missing(f'vLLM {version_of("vllm")}: {one_line(error)}') from error


def model_config(given):
    """Of the configuration of a model the parsers read whether its ids of calls are Kimi's."""
    config = types.SimpleNamespace(model_type='kimi_k2' if str(given.tool_parser).startswith('kimi_k') else 'other')
    return types.SimpleNamespace(hf_overrides={}, hf_config=config, hf_text_config=config, architecture=None)


class Unified:
    """One parser for reasoning and calls (since summer 2026), as `entrypoints/openai/chat_completion/serving.py` drives it."""

    def __init__(self, parser, tokens, request, message, stream):
        self.kind, self.tokens, self.request, self.message = parser, tokens, request, message
        self.parser = parser(
            tokens.tokenizer, request.tools, model_config=model_config(tokens.given),
            chat_template_kwargs=request.chat_template_kwargs)
        self.prompt, self.held = tokens.prompt(getattr(self.parser, 'reasoning_parser', None)), ''
        self.stream = None if stream is None else stream(
            request, self.parser, enable_auto_tools=True, parser_cls=parser)

    def whole(self, text):
        text, _ = self.tokens.before_end(text)
        if hasattr(self.parser, 'set_prompt_token_ids'):
            self.parser.set_prompt_token_ids(self.prompt)
        read = self.parser.parse(
            text, self.request, enable_auto_tools=True, model_output_token_ids=[*self.tokens.take(text), *self.tokens.end()])
        if self.message is None:
            return reading(*read)
        fields = self.message(self.request, *read, enable_auto_tools=True, parser_cls=self.kind)
        return reading(fields.reasoning, fields.content, fields.tool_calls)

    def feed(self, chunk):
        chunk, self.held = self.tokens.before_end(self.held + chunk)
        return self.delta(chunk, self.tokens.take(chunk), finished=False)

    def end(self):
        return self.delta('', self.tokens.end(), finished=True)

    def delta(self, text, ids, finished):
        if self.stream is not None:
            return delta_of(self.stream.step(text, ids, 'stop' if finished else None, self.prompt).delta)
        return delta_of(self.parser.parse_delta(
            text, ids, self.request, prompt_token_ids=self.prompt, finished=finished))


class Separate:
    """A parser for calls, one for reasoning, or both."""

    def __init__(self, tool, reasoning, tokens, request):
        self.tokens, self.request = tokens, request
        self.tool = None if tool is None else with_tools(tool, tokens.tokenizer, request)
        self.reasoning = None if reasoning is None else reasoning(tokens.tokenizer)
        self.text, self.ids = '', []

    def whole(self, text):
        thought, content = None, text
        if self.reasoning is not None:
            read = getattr(self.reasoning, 'extract_reasoning', None) or self.reasoning.extract_reasoning_content
            thought, content = read(text, self.request)
        if self.tool is None or not content or not self.request.tools:
            return reading(thought, content, [])
        found = self.tool.extract_tool_calls(content, self.request)
        return reading(thought, found.content, found.tool_calls)

    def feed(self, chunk):
        if not self.request.tools:
            return {'content': chunk}
        ids = self.tokens.take(chunk)
        text, before = self.text + chunk, self.ids
        found = self.tool.extract_tool_calls_streaming(
            self.text, text, chunk, before, before + ids, ids, self.request)
        self.text, self.ids = text, before + ids
        return delta_of(found)

    def end(self):
        return {}


def with_tools(parser, tokenizer, request):
    try:
        return parser(tokenizer, request.tools)
    except TypeError:
        # Before 2026 they were given the tokenizer alone.
        return parser(tokenizer)


def reading(reasoning, content, calls):
    return {'reasoning': reasoning or '', 'content': content or '', 'calls': [whole_call(each) for each in calls or []]}


def whole_call(call):
    function = getattr(call, 'function', call)
    return {**id_of(call), 'name': function.name, 'arguments': function.arguments}


def delta_of(message):
    if message is None:
        return {}
    # The member was called reasoning_content before 2026.
    thought = getattr(message, 'reasoning', None) or getattr(message, 'reasoning_content', None)
    parts = {'content': message.content, 'reasoning': thought}
    calls = [call_delta(each) for each in getattr(message, 'tool_calls', None) or []]
    return {**{key: text for key, text in parts.items() if text}, **({'calls': calls} if calls else {})}


def call_delta(call):
    parts = {'name': call.function.name, 'arguments': call.function.arguments} if call.function else {}
    return {'index': call.index, **id_of(call), **{key: text for key, text in parts.items() if text}}


def id_of(call):
    known = getattr(call, 'id', None)
    return {'id': known} if known else {}


if __name__ == '__main__':
    started(main)
