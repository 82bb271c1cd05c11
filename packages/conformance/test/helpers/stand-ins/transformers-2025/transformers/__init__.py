import json

from stand_in_reader import read

__version__ = '4.57.0'


class Tokenizer:
    response_schema = {'x-regex': '…'}

    def parse_response(self, response, schema=None):
        assert schema == self.response_schema
        content, calls = read(response)
        calls = [{'type': 'function', 'function': {'name': name, 'arguments': json.loads(text)}} for name, text in calls]
        return {'role': 'assistant', 'content': content, 'tool_calls': calls}


class AutoTokenizer:

    @classmethod
    def from_pretrained(cls, folder):
        return Tokenizer()
