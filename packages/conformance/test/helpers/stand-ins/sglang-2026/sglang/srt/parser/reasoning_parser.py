from stand_in_reader import thought


class ReasoningParser:

    def __init__(self, model_type, stream_reasoning=True):
        self.model_type = model_type

    def parse_non_stream(self, full_text):
        return thought(full_text)

    def parse_stream_chunk(self, chunk_text):
        return '', chunk_text
