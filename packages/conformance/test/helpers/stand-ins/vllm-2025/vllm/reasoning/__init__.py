from stand_in_reader import thought


class Qwen3:

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def extract_reasoning_content(self, model_output, request):
        before, rest = thought(model_output)
        return before or None, rest or None


class ReasoningParserManager:

    @classmethod
    def get_reasoning_parser(cls, name):
        return {'qwen3': Qwen3}[name]
