"""A model file that repeats its prompt: each token is the one that came a fixed number of tokens before. It says any text that a request
puts there, so one server says every text, over every API. A Llama of one layer; its head looks back by the angles of its positions."""

import array
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from said_model import END, F32, BOOL, I32, LETTERS, LIST, SURE, TEXT, U32, floats, gguf, vocabulary  # noqa: E402

# Of the angles by which positions are rotated.
SLOWEST = 10000.0
# How much closer the right place is than all others: a difference of the softmax's exponents.
SHARPNESS = 30.0


def repeating_bytes(distance, *, template, special=(), begin=END, end=END, places=16384):
    """A GGUF file. `distance`: how many tokens the model looks back. `special`: tokens in addition to one per byte."""
    tokens, _ = vocabulary([], special, begin, end)
    # A token is two digits: which are read, in two parts of the width, and which are repeated, in two others; one column is always 1.
    digits = math.ceil(math.sqrt(len(tokens)))
    width = -(-(4 * digits + 1) // 32) * 32
    read, repeated, one = 0, 2 * digits, 4 * digits
    embedding, output = floats(len(tokens) * width), floats(len(tokens) * width)
    for number in range(len(tokens)):
        for place, digit in enumerate(divmod(number, digits)):
            embedding[number * width + read + place * digits + digit] = 1.0
            output[number * width + repeated + place * digits + digit] = SURE
        embedding[number * width + one] = 1.0
    query, key, value, result = (floats(width * width) for _ in range(4))
    # Three columns of a token are 1: after the norm each is the root of a third of the width.
    size = math.sqrt(SHARPNESS * math.sqrt(width)) / math.sqrt(width / 3)
    for pair in range(width // 2):
        angle = distance * SLOWEST ** (-2 * pair / width)
        query[2 * pair * width + one] = size
        key[2 * pair * width + one] = size * math.cos(angle)
        key[(2 * pair + 1) * width + one] = size * math.sin(angle)
    for column in range(2 * digits):
        value[column * width + read + column] = 1.0
        result[(repeated + column) * width + column] = 1.0
    names = [text for text, _ in tokens]
    fields = [
        ('general.architecture', TEXT, 'llama'), ('general.name', TEXT, f'repeats what came {distance} tokens before'),
        ('llama.context_length', U32, places), ('llama.embedding_length', U32, width), ('llama.block_count', U32, 1),
        ('llama.feed_forward_length', U32, 32), ('llama.attention.head_count', U32, 1),
        ('llama.attention.layer_norm_rms_epsilon', F32, 1e-6),
        ('llama.rope.dimension_count', U32, width), ('llama.rope.freq_base', F32, SLOWEST),
        # Of the pre-tokenizers, one after which llama.cpp keeps the blank of ` ,` when it shows tokens as a text.
        ('tokenizer.ggml.model', TEXT, 'gpt2'), ('tokenizer.ggml.pre', TEXT, 'qwen2'),
        ('tokenizer.ggml.tokens', LIST, (TEXT, names)),
        ('tokenizer.ggml.token_type', LIST, (I32, [kind for _, kind in tokens])),
        # No two of them ever meet: a text is a token per byte.
        ('tokenizer.ggml.merges', LIST, (TEXT, [f'{LETTERS[0]} {LETTERS[0]}'])),
        ('tokenizer.ggml.bos_token_id', U32, names.index(begin)), ('tokenizer.ggml.eos_token_id', U32, 0),
        ('tokenizer.ggml.add_bos_token', BOOL, False), ('tokenizer.chat_template', TEXT, template),
    ]
    ones = array.array('f', [1.0] * width)
    tensors = [('token_embd.weight', (width, len(tokens)), embedding), ('output.weight', (width, len(tokens)), output)]
    tensors += [(f'{name}.weight', (width,), ones) for name in ('output_norm', 'blk.0.attn_norm', 'blk.0.ffn_norm')]
    for name, values in (('q', query), ('k', key), ('v', value), ('output', result)):
        tensors.append((f'blk.0.attn_{name}.weight', (width, width), values))
    for name, rows, columns in (('gate', width, 32), ('up', width, 32), ('down', 32, width)):
        tensors.append((f'blk.0.ffn_{name}.weight', (rows, columns), floats(rows * columns)))
    return gguf(fields, tensors)
