"""Replies and prompts as `transformers serve` reads and writes them, behind the callspec protocol; README.md says how."""

import argparse
import datetime
import importlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import types

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'python-engines'))
import import_stubs  # noqa: E402
from engine_session import (  # noqa: E402
    load_first, Missing, openai_tools, PLAIN_TOKEN, run, Skipped, special_tokens, started, version_of,
)
from response_parser import answer_of  # noqa: E402

# What is said of models that are absent would be a line of stderr for each start.
os.environ.setdefault('TRANSFORMERS_VERBOSITY', 'error')

SERVING = 'transformers.cli.serving.utils'
TRL_HINT = 'TRL, whose chat templates are used, is not installed: pip install --no-deps trl.'
HINT = 'transformers with its server is not installed: pip install "transformers>=5.17" jinja2.'
# Members of a question that a chat template asks for.
SWITCHES = ['enable_thinking']
CALLSPEC = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..', 'cli', 'bin', 'callspec.js')

# What TRL imports in addition to what it is asked with.
STUBS = ['accelerate', 'datasets', 'pyarrow']

# The chat templates, all of them in TRL, of the families whose response templates the server brings or callspec exports.
CHATS = {
    'serve/qwen3': 'qwen3', 'serve/qwen3_5': 'qwen3_6', 'serve/gemma4': 'gemma4_v5',
    'export/nous': 'qwen3', 'export/qwen3.5': 'qwen3_6', 'export/glm-4.5': 'glm4moe', 'export/llama3-json': 'llama3_1',
    'export/harmony': 'gptoss', 'export/gemma-4': 'gemma4_v5',
}

# Tokens that end a turn: after text, and after what ends with the key where that is another one. None: the texts have their own.
END = {
    'nous': '<|im_end|>', 'qwen3-coder': '<|im_end|>', 'qwen3.5': '<|im_end|>', 'lfm2': '<|im_end|>', 'lfm2.5': '<|im_end|>',
    'kimi-k2': '<|im_end|>', 'kimi-k2-thinking': '<|im_end|>', 'glm-4.5': '<|user|>', 'glm-4.7': '<|user|>',
    'minimax-m2': '[e~[', 'seed-oss': '<seed:eos>', 'mistral-v3': '</s>', 'mistral-v11': '</s>', 'mistral-v13': '</s>',
    'deepseek-v3': '<｜end▁of▁sentence｜>', 'deepseek-r1': '<｜end▁of▁sentence｜>', 'deepseek-v3.1': '<｜end▁of▁sentence｜>',
    'gemma-4': '<turn|>', 'functiongemma': '<end_of_turn>', 'llama3-json': '<|eot_id|>', 'granite-3': '<|end_of_text|>',
    'phi-4-mini': '<|end|>', 'command-r7b': '<|END_OF_TURN_TOKEN|>', 'harmony': '<|return|>',
}
END_OF_CALLS = {
    'glm-4.5': ('</tool_call>', '<|observation|>'), 'glm-4.7': ('</tool_call>', '<|observation|>'),
    'gemma-4': ('<tool_call|>', '<|tool_response>'), 'functiongemma': ('<end_function_call>', '<start_function_response>'),
}
ENDS_OF_HARMONY = ('<|call|>', '<|end|>', '<|return|>')
BEGIN = {'llama3-json': '<|begin_of_text|>', 'lfm2': '<|startoftext|>', 'lfm2.5': '<|startoftext|>', 'gemma-4': '<bos>'}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--template', help='serve/MODEL_TYPE, trl/CHAT_TEMPLATE, export, or a file with a response template')
    parser.add_argument('--format', help='of the replies')
    given = parser.parse_args()
    if given.template is None:
        return answer_templates()
    import_stubs.install(STUBS)
    load_first([f'{SERVING}:DirectStreamer'], HINT)
    serving = importlib.import_module(SERVING)
    source = Source(serving, given.template, given.format)
    run({
        'name': f'transformers {given.template}',
        'version': version_of('transformers'),
        'supports': [{
            'operations': ['parse', 'stream', *(['render'] if source.tokenizer.chat_template else [])],
            'formats': [given.format],
            'profiles': ['strict', 'lenient:*', 'chat-template@*'],
        }],
        'tools': 'offered',
        'thinking': source.thinking(),
        # The server decodes one token at a time.
        'cuts': ['tokens'],
    }, lambda asked: Reply(serving, source, asked), source.prompt)


def answer_templates():
    """`parse_response` itself, with the template of each question."""
    parser, _ = load_first(['transformers.utils.chat_parsing:ResponseParser'], HINT)
    version = version_of('transformers')
    run({
        'name': 'transformers',
        'version': version,
        'supports': [{'operations': ['response_template'], 'profiles': ['strict', f'transformers@{version}']}],
    }, None, response_template=answer_of(parser))


class Source:
    """The tokenizer of a model: response template, chat template, and tokens, which are those of the texts that come."""

    def __init__(self, serving, name, form):
        from tokenizers import decoders, models, Tokenizer
        from transformers import PreTrainedTokenizerFast
        rust = Tokenizer(models.WordLevel({'': 0}, unk_token=''))
        rust.decoder = decoders.Fuse()
        self.serving = serving
        self.form, begin = form, BEGIN.get(form)
        self.tokenizer = PreTrainedTokenizerFast(
            tokenizer_object=rust, clean_up_tokenization_spaces=False, **({'bos_token': begin} if begin else {}))
        kind, _, rest = name.partition('/')
        self.model = types.SimpleNamespace(config=types.SimpleNamespace(model_type=rest if kind == 'serve' else 'none'))
        chat = rest if kind == 'trl' else CHATS.get(f'export/{form}' if name == 'export' else name)
        if chat is not None:
            self.tokenizer.chat_template = chat_template(chat)
        if kind == 'trl':
            load_first(['trl.chat_template_utils:add_response_schema'], TRL_HINT)[0](self.tokenizer)
        elif kind != 'serve':
            self.tokenizer.response_template = exported(form) if name == 'export' else json.loads(text_of(name))
        self.template = serving.get_response_template(self.tokenizer, self.model)
        if self.template is None:
            raise Missing(f'transformers {version_of("transformers")} has no response template of the model type "{rest}".')
        self.special = special_tokens([form])
        self.pattern = re.compile('|'.join([*map(re.escape, sorted(self.special, key=len, reverse=True)), PLAIN_TOKEN]), re.DOTALL)

    def ids(self, text):
        from tokenizers import AddedToken
        if any(0xd800 <= ord(each) < 0xe000 for each in text):
            raise Skipped('a lone surrogate, which no token has')
        words = self.pattern.findall(text)
        rust = self.tokenizer._tokenizer
        new = [each for each in dict.fromkeys(words) if rust.token_to_id(each) is None]
        if new:
            rust.add_tokens([AddedToken(each, normalized=False, special=False) for each in new])
        return [rust.token_to_id(each) for each in words]

    def prompt(self, asked):
        utils = importlib.import_module('transformers.utils.chat_template_utils')
        today = asked.get('today')
        # A case names the day that a template may ask for.
        now = datetime.datetime.now() if today is None else datetime.datetime.fromisoformat(today)
        utils.datetime = types.SimpleNamespace(now=lambda: now)
        messages = self.serving.BaseHandler.get_processor_inputs_from_messages(messages_of(asked), self.serving.Modality.LLM)
        return self.tokenizer.apply_chat_template(
            messages, tools=openai_tools(asked) or None, tokenize=False, add_generation_prompt=True,
            **{key: value for key, value in asked.items() if key in SWITCHES})

    def prompts(self, tools):
        """Prompts of a question, as many as thoughts can be switched."""
        if self.tokenizer.chat_template is None:
            anchor = self.template.get('start_anchor')
            begin = anchor[0] if isinstance(anchor, list) else anchor
            return [begin, *([begin + self.opener()] if self.opener() else [])]
        asked = {'messages': [{'role': 'user', 'content': 'Go on.'}], 'tools': tools}
        return [self.prompt({**asked, **more}) for more in ({}, {'enable_thinking': True}, {'enable_thinking': False})]

    def opener(self):
        for name in ('thinking', 'reasoning_content', 'reasoning'):
            open = self.template['fields'].get(name, {}).get('open')
            if open is not None:
                return open if isinstance(open, str) else open[0]
        return None

    def opens(self, prompt):
        """Whether a prompt ends inside a thought."""
        opener = self.opener()
        return opener is not None and prompt.rstrip().endswith(opener.rstrip())

    def thinking(self):
        opened = {self.opens(each) for each in self.prompts([])}
        return [*(['opened'] if True in opened else []), *(['written', 'none'] if False in opened else [])]

    def beginning(self, thinking, tools):
        for each in self.prompts(tools):
            if self.opens(each) == (thinking == 'opened'):
                return each
        raise Skipped('the prompt of the chat template makes no such beginning')


def chat_template(name):
    return text_of(os.path.join(trl_folder(), 'chat_templates', f'{name}.jinja'))


def messages_of(asked):
    """Messages of a request: Qwen-Agent calls a function where the API calls a tool."""
    messages = []
    for each in asked['messages']:
        call = each.get('function_call')
        rest = {key: value for key, value in each.items() if key != 'function_call'}
        if each['role'] == 'function':
            rest['role'] = 'tool'
        if call is None:
            messages.append(rest)
        elif messages and messages[-1].get('tool_calls') and not each.get('content'):
            messages[-1]['tool_calls'].append({'type': 'function', 'function': call})
        else:
            messages.append({**rest, 'tool_calls': [{'type': 'function', 'function': call}]})
    return messages


def trl_folder():
    found = importlib.util.find_spec('trl')
    if found is None:
        raise Missing(TRL_HINT)
    return os.path.dirname(found.origin)


def exported(form):
    done = subprocess.run(['node', CALLSPEC, 'formats', form, '--response-template'], capture_output=True, text=True)
    if done.returncode != 0:
        raise Missing(f'callspec formats {form} --response-template: {(done.stdout + done.stderr).strip()}')
    return json.loads(done.stdout)


def text_of(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


class Reply:
    """One reply, in the way of the server: whole, or token by token."""

    def __init__(self, serving, source, asked):
        if asked.get('tool_choice', 'auto') != 'auto':
            raise Skipped('the reader does not know the choice of tools')
        self.serving, self.source, self.asked = serving, source, asked
        self.tools = openai_tools(asked) or None
        self.prompt = source.ids(source.beginning(asked['thinking'], asked.get('tools')))
        self.text, self.items, self.calls = '', [], 0
        self.streamer = None

    def whole(self, text):
        content, thought, calls = self.serving.parse_assistant_message(
            self.source.tokenizer, self.source.model, self.source.ids(text + self.stop(text)), self.prompt, tools=self.tools)
        return {
            'content': content or '',
            'reasoning': thought or '',
            'calls': [{'name': each.name, 'arguments': each.arguments} for each in calls or []],
        }

    def stop(self, text):
        """The token that ends a turn, which the server hands to the reader; a reply that is cut has none."""
        form = self.source.form
        topic = self.asked['id'].split('#')[0].split('/')[-1]
        after, end = END_OF_CALLS.get(form, (None, None))
        wanted = end if after is not None and text.rstrip().endswith(after) else END.get(form, '')
        ends = ENDS_OF_HARMONY if form == 'harmony' else (wanted, END.get(form, ''))
        return '' if topic in ('cut', 'truncated') or text.rstrip().endswith(ends) else wanted

    def feed(self, chunk):
        self.text += chunk
        self.opened().put(Tokens(self.source.ids(chunk)))
        return self.taken()

    def end(self):
        streamer = self.opened()
        streamer.put(Tokens(self.source.ids(self.stop(self.text))))
        streamer.end()
        return self.taken()

    def opened(self):
        if self.streamer is None:
            parser = self.serving.build_response_parser(
                self.source.tokenizer, self.source.model, self.prompt, tools=self.tools)
            loop = types.SimpleNamespace(call_soon_threadsafe=lambda call, item: call(item))
            queue = types.SimpleNamespace(put_nowait=self.items.append)
            self.streamer = self.serving.DirectStreamer(self.source.tokenizer._tokenizer, loop, queue, parser)
            self.streamer.put(Tokens(self.prompt))
        return self.streamer

    def taken(self):
        delta, items = {}, list(self.items)
        self.items.clear()
        for item in items:
            if isinstance(item, str):
                key = 'reasoning' if type(item).__name__ == 'ReasoningText' else 'content'
                delta[key] = delta.get(key, '') + item
            elif item is not None:
                delta.setdefault('calls', []).append({'index': self.calls, 'name': item.name, 'arguments': item.arguments})
                self.calls += 1
        return delta


class Tokens(list):
    """What `generate` hands to a streamer has this method."""

    def tolist(self):
        return list(self)


if __name__ == '__main__':
    started(main)
