"""OpenAI's own encoder and reader of harmony behind the callspec protocol; README.md says how."""

import argparse
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'python-engines'))
from engine_session import load_first, Pieces, run, Skipped, started, version_of  # noqa: E402

HINT = 'openai-harmony is not installed: pip install openai-harmony.'
DAY = '2026-01-15'

# A message without content is a call without arguments; the package hands contents on and says nothing of arguments.
NO_ARGUMENTS = '{}'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--format', required=True)
    given = parser.parse_args()
    load, _ = load_first(['openai_harmony:load_harmony_encoding'], HINT)
    import openai_harmony as harmony
    # The package downloads its vocabulary where this folder does not hold it.
    os.environ.setdefault('TIKTOKEN_ENCODINGS_BASE', os.path.dirname(os.path.dirname(os.path.abspath(harmony.__file__))))
    encoding = load(harmony.HarmonyEncodingName.HARMONY_GPT_OSS)
    special = {each: encoding.encode(each, allowed_special='all')[0] for each in encoding.special_tokens_set}
    run({
        'name': 'openai-harmony',
        'version': version_of('openai-harmony'),
        'supports': [
            {'operations': ['parse', 'stream'], 'formats': [given.format]},
            {'operations': ['render'], 'formats': [given.format], 'profiles': ['strict', 'chat-template@*']},
        ],
        'cuts': ['tokens', 'groups'],
        'thinking': ['written', 'none'],
    }, lambda asked: Reply(harmony, encoding, special, asked), lambda asked: prompt(harmony, encoding, asked))


class Reply:
    """A reply, which begins inside of the head that the prompt has opened."""

    def __init__(self, harmony, encoding, special, asked):
        if asked.get('tool_choice', 'auto') != 'auto':
            raise Skipped('the reader does not know the choice of tools')
        self.role, self.encoding = harmony.Role.ASSISTANT, encoding
        self.pieces = Pieces(lambda text: encoding.encode(text, disallowed_special=()), special, asked['plain'])
        self.opens = special['<|message|>']
        self.ends = [special[each] for each in ('<|end|>', '<|call|>', '<|return|>')]
        self.parser = harmony.StreamableParser(encoding, self.role)
        self.calls, self.is_open, self.is_bare = 0, False, False

    def whole(self, text):
        tokens = self.pieces.take(text)
        messages = self.encoding.parse_messages_from_completion_tokens(tokens, self.role)
        is_cut = tokens[-1:] != [] and tokens[-1] not in self.ends
        return {'items': [item_of(each, is_cut and each is messages[-1]) for each in messages]}

    def feed(self, chunk):
        delta = Delta()
        for token in self.pieces.take(chunk):
            self.parser.process(token)
            self.seen(delta, token)
        return delta.parts()

    def end(self):
        delta = Delta()
        # A call that no token ends is cut.
        self.is_bare = False
        self.parser.process_eos()
        self.seen(delta, None)
        return delta.parts()

    def seen(self, delta, token):
        """What is new after a token: of the message that is open, or that this token has closed."""
        text, was_open = self.parser.last_content_delta, self.is_open
        # The state of the parser says the same, and writes out the whole message each time.
        self.is_open = token == self.opens or (self.is_open and token not in self.ends)
        if not self.is_open:
            if was_open and self.is_bare:
                delta.call(self.calls - 1, {'arguments': NO_ARGUMENTS})
            self.is_bare = False
            return
        kind, name = meaning(self.parser.current_channel, self.parser.current_recipient)
        if kind != 'call':
            delta.text(kind, text or '')
            return
        if not was_open:
            self.calls += 1
            self.is_bare = True
            delta.call(self.calls - 1, {'name': name})
        if text:
            self.is_bare = self.is_bare and not text.strip()
            delta.call(self.calls - 1, {'arguments': text})


class Delta:
    """What is new in one chunk."""

    def __init__(self):
        self.texts, self.calls = {}, {}

    def text(self, kind, text):
        self.texts[kind] = self.texts.get(kind, '') + text

    def call(self, index, parts):
        known = self.calls.setdefault(index, {'index': index})
        for key, text in parts.items():
            known[key] = known.get(key, '') + text

    def parts(self):
        calls = list(self.calls.values())
        return {**{key: text for key, text in self.texts.items() if text}, **({'calls': calls} if calls else {})}


def meaning(channel, recipient):
    """What a message is to a chat server: reasoning, content, or a call with its name."""
    if recipient is not None and recipient not in ('assistant', 'all'):
        return 'call', recipient.removeprefix('functions.')
    return ('reasoning' if channel == 'analysis' else 'content'), None


def item_of(message, is_cut):
    kind, name = meaning(message.channel, message.recipient)
    text = ''.join(each.text for each in message.content)
    if kind == 'call':
        return {'type': 'call', 'name': name, 'arguments': text if text.strip() or is_cut else NO_ARGUMENTS}
    return {'type': 'text' if kind == 'content' else kind, 'text': text}


def prompt(harmony, encoding, asked):
    """The prompt of chat messages, made of harmony's messages as the guide of the format does."""
    system = harmony.SystemContent.new().with_conversation_start_date(asked.get('today', DAY))
    if asked.get('reasoning_effort'):
        system = system.with_reasoning_effort(harmony.ReasoningEffort(asked['reasoning_effort'].capitalize()))
    developer, rest = instructions(harmony, asked)
    messages = [harmony.Message.from_role_and_content(harmony.Role.SYSTEM, system), *developer]
    names = {}
    for each in rest:
        messages += chat_message(harmony, each, names)
    tokens = encoding.render_conversation_for_completion(
        harmony.Conversation.from_messages(messages), harmony.Role.ASSISTANT)
    return encoding.decode_utf8(tokens)


def instructions(harmony, asked):
    """The developer message, of the first system message and the tools; and the messages after it."""
    messages = asked['messages']
    first = messages[0] if messages and messages[0]['role'] in ('system', 'developer') else None
    tools = [each.get('function', each) for each in asked.get('tools') or []]
    if first is None and not tools:
        return [], messages
    content = harmony.DeveloperContent.new()
    if first is not None:
        content = content.with_instructions(plain_text(first['content']))
    if tools:
        content = content.with_function_tools([
            harmony.ToolDescription.new(each['name'], each.get('description') or '', each.get('parameters')) for each in tools])
    message = harmony.Message.from_role_and_content(harmony.Role.DEVELOPER, content)
    return [message], messages if first is None else messages[1:]


def chat_message(harmony, given, names):
    role, content = given['role'], plain_text(given.get('content'))
    if role in ('tool', 'function'):
        name = names.get(given.get('tool_call_id'), given.get('name'))
        author = harmony.Author.new(harmony.Role.TOOL, f'functions.{name}')
        return [harmony.Message.from_author_and_content(author, content).with_recipient('assistant').with_channel('commentary')]
    if role != 'assistant':
        kind = harmony.Role.USER if role == 'user' else harmony.Role.DEVELOPER
        return [harmony.Message.from_role_and_content(kind, content)]
    calls = [each['function'] for each in given.get('tool_calls') or []]
    names.update({each.get('id'): each['function']['name'] for each in given.get('tool_calls') or []})
    if given.get('function_call'):
        calls.append(given['function_call'])
    made = []
    if given.get('reasoning_content'):
        made.append(own(harmony, given['reasoning_content'], 'analysis'))
    if content:
        made.append(own(harmony, content, 'commentary' if calls else 'final'))
    for call in calls:
        text = call['arguments'] if isinstance(call['arguments'], str) else json.dumps(call['arguments'], ensure_ascii=False)
        made.append(own(harmony, text, 'commentary').with_recipient(f'functions.{call["name"]}').with_content_type('<|constrain|>json'))
    return made


def own(harmony, text, channel):
    return harmony.Message.from_role_and_content(harmony.Role.ASSISTANT, text).with_channel(channel)


def plain_text(content):
    if isinstance(content, list):
        return ''.join(each.get('text', '') for each in content)
    return content or ''


if __name__ == '__main__':
    started(main)
