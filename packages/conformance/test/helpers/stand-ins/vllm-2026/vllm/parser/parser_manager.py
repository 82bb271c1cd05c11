"""The parts of vLLM that are easily asked in a wrong way, as version 0.33 has them: calls are read only where tools are offered, and
markers found by the id of their token; until the tokens of the prompt are known, every delta is content; a reply begins inside a
thought unless the template is asked not to think."""

from types import SimpleNamespace
from uuid import uuid4

from stand_in_reader import CLOSE, OPEN, read


class Parser:
    tool_parser_cls = reasoning_parser_cls = None

    def __init__(self, tokenizer, tools=None, *, model_config=None, chat_template_kwargs=None):
        self.tokenizer, self.model_config = tokenizer, model_config
        self.thinks = self.reasoning_parser_cls is not None and (chat_template_kwargs or {}).get('enable_thinking', True)
        self.reasoning_parser = None if self.reasoning_parser_cls is None else SimpleNamespace(
            reasoning_start_str='<think>', reasoning_end_str='</think>')
        self.prompt, self.ended = None, False
        self.text, self.sent, self.calls = '', 0, 0

    def set_prompt_token_ids(self, ids):
        self.prompt = ids

    def parse(self, model_output, request, enable_auto_tools=False, model_output_token_ids=()):
        assert self.tokenizer.decode(list(model_output_token_ids)).startswith(model_output)
        thought, rest = self.split(model_output)
        content, calls = self.read(rest, request, model_output_token_ids)
        calls = [SimpleNamespace(id=self.id_of(name, at), name=name, arguments=text) for at, (name, text) in enumerate(calls)]
        return thought or None, content or None, calls

    def split(self, text):
        before, mark, after = text.partition('</think>')
        return (before.replace('<think>', ''), after) if self.thinks else ('', text)

    def read(self, text, request, ids):
        markers = {self.tokenizer.get_vocab().get(OPEN), self.tokenizer.get_vocab().get(CLOSE)}
        return read(text) if request.tool_choice == 'auto' and markers <= set(ids) else (text, [])

    def id_of(self, name, at):
        kind = getattr(getattr(self.model_config, 'hf_config', None), 'model_type', None)
        return f'functions.{name}:{at}' if kind == 'kimi_k2' else None

    def parse_delta(self, delta_text, delta_token_ids, request, prompt_token_ids=None, *, finished):
        if self.prompt is None and prompt_token_ids is not None:
            self.prompt = prompt_token_ids
            vocabulary = self.tokenizer.get_vocab()
            last = [each for each in prompt_token_ids if each in (vocabulary.get('<think>'), vocabulary.get('</think>'))][-1:]
            self.ended = self.reasoning_parser is None or last == [vocabulary.get('</think>')]
        if self.prompt is None:
            return delta(content=delta_text)
        if not self.ended:
            self.ended = self.tokenizer.get_vocab().get('</think>') in delta_token_ids
            before, _, delta_text = delta_text.partition('</think>')
            return delta(reasoning=before.replace('<think>', ''), content=delta_text)
        return self.content(delta_text, delta_token_ids, request)

    def content(self, text, ids, request):
        opening = self.tokenizer.get_vocab().get(OPEN)
        if request.tool_choice != 'auto' or (self.text == '' and opening not in ids):
            return delta(content=text)
        self.text += text
        content, calls = read(self.text)
        more, self.calls = calls[self.calls:], len(calls)
        first, self.sent = content[self.sent:], len(content)
        return delta(content=first, calls=[
            SimpleNamespace(index=at, id=self.id_of(name, at) or uuid4().hex, function=SimpleNamespace(name=name, arguments=text))
            for at, (name, text) in enumerate(more, self.calls - len(more))])


def delta(content='', reasoning='', calls=()):
    return SimpleNamespace(content=content or None, reasoning=reasoning or None, tool_calls=list(calls))


class ParserManager:

    @classmethod
    def get_parser(cls, tool_parser_name=None, reasoning_parser_name=None, enable_auto_tools=False, is_harmony=False):
        if tool_parser_name == 'openai' and not is_harmony:
            raise TypeError('GptOssToolParser is a stub. Use HarmonyParser')
        if tool_parser_name not in (None, 'hermes', 'kimi_k2', 'lfm2', 'openai'):
            raise TypeError(f"tool_parser:'{tool_parser_name}' which has not been registered")
        return type('Composed', (Parser,), {
            'tool_parser_cls': tool_parser_name, 'reasoning_parser_cls': reasoning_parser_name})
