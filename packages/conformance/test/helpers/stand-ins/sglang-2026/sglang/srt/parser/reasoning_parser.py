from stand_in_reader import thought


class ReasoningParser:
    """A reply begins inside of a thought where the server says so."""

    DetectorMap = {'qwen3': None}

    def __init__(self, model_type, force_reasoning):
        self.is_inside = force_reasoning

    def parse_non_stream(self, full_text):
        if self.is_inside and '</think>' not in full_text:
            return full_text, ''
        return thought(full_text) if self.is_inside or full_text.startswith('<think>') else ('', full_text)

    def parse_stream_chunk(self, chunk_text):
        self.is_inside = self.is_inside or chunk_text == '<think>'
        if not self.is_inside:
            return '', chunk_text
        self.is_inside = '</think>' not in chunk_text
        before, _, after = chunk_text.partition('</think>')
        return before.replace('<think>', ''), after
