"""As much of tiktoken as Qwen-Agent uses. It is slow, and gives the same tokens."""

import types


def as_tiktoken():
    module = types.ModuleType('tiktoken')
    module.Encoding = Encoding
    return module


class Encoding:
    """Made by Qwen-Agent from the vocabulary file in its own sources."""

    def __init__(self, name, pat_str, mergeable_ranks, special_tokens):
        import regex

        self.words = regex.compile(pat_str)
        self.specials = regex.compile('|'.join(regex.escape(token) for token in special_tokens))
        self.ranks = mergeable_ranks
        self.special_tokens = special_tokens
        self.n_vocab = len(mergeable_ranks) + len(special_tokens)
        self.eot_token = special_tokens['<|endoftext|>']

    def encode(self, text, allowed_special=None, disallowed_special=None):
        tokens = []
        at = 0
        text = without_lone_surrogates(text)
        for special in [*self.specials.finditer(text), None]:
            end = special.start() if special else len(text)
            for word in self.words.findall(text[at:end]):
                tokens += self.merge(word.encode())
            if special:
                tokens.append(self.special_tokens[special.group()])
                at = special.end()
        return tokens

    def merge(self, word):
        """Joins the pair of lowest rank, the first of several, until no pair is in the vocabulary."""
        if word in self.ranks:
            return [self.ranks[word]]
        parts = [word[at:at + 1] for at in range(len(word))]
        while len(parts) > 1:
            pairs = [(self.ranks.get(parts[at] + parts[at + 1]), at) for at in range(len(parts) - 1)]
            known = [pair for pair in pairs if pair[0] is not None]
            if not known:
                break
            _, at = min(known)
            parts[at:at + 2] = [parts[at] + parts[at + 1]]
        return [self.ranks[part] for part in parts]


def without_lone_surrogates(text):
    try:
        text.encode('utf-8')
        return text
    except UnicodeEncodeError:
        return text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')
