"""A model file that says one text, piece by piece, and then ends its turn: a GPT-2 of one layer whose weights are zero but for its
table of positions. Which token comes next depends on the number of tokens before it, and on nothing else."""

import array
import struct

# Byte-level BPE: how GPT-2's vocabulary writes each byte.
PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
LETTERS = {byte: chr(byte) for byte in PRINTABLE}
LETTERS.update({byte: chr(256 + at) for at, byte in enumerate(byte for byte in range(256) if byte not in LETTERS)})

# The numbers by which GGUF knows kinds of tokens and of values.
NORMAL, CONTROL, ADDED = 1, 3, 4
U32, I32, F32, BOOL, TEXT, LIST = 4, 5, 6, 7, 8, 9

END = '<|callspec_end|>'
# A row of the output for the token that comes next; all others are zero.
SURE = 20.0


def vocabulary(pieces, special, begin, end):
    """The tokens as (text, kind), and the numbers of the pieces. Special tokens are one token each in prompts as well."""
    tokens = [(end, CONTROL), *([(begin, CONTROL)] if begin != end else [])]
    tokens += [(token, ADDED) for token in special if token not in (begin, end)]
    numbers = {text.encode(): number for number, (text, _) in enumerate(tokens)}
    for byte in range(256):
        numbers[bytes([byte])] = len(tokens)
        tokens.append((LETTERS[byte], NORMAL))
    for piece in pieces:
        if piece not in numbers:
            numbers[piece] = len(tokens)
            tokens.append((''.join(LETTERS[byte] for byte in piece), NORMAL))
    return tokens, [numbers[piece] for piece in pieces]


def model_bytes(pieces, before, *, template, special=(), begin=END, end=END):
    """A GGUF file. `pieces` are the tokens of the text as bytes; `before` is the number of tokens of the prompt."""
    tokens, said = vocabulary(pieces, special, begin, end)
    width = max(64, -(-(len(said) + 1) // 32) * 32)
    places = before + len(said) + 64
    positions, output = floats(places * width), floats(len(tokens) * width)
    for at, number in enumerate([*said, 0]):
        if before > 0:
            positions[(before - 1 + at) * width + at] = 1.0
        output[number * width + at] = SURE
    names = [text for text, _ in tokens]
    fields = [
        ('general.architecture', TEXT, 'gpt2'), ('general.name', TEXT, 'says one text'),
        ('gpt2.context_length', U32, places), ('gpt2.embedding_length', U32, width), ('gpt2.block_count', U32, 1),
        ('gpt2.feed_forward_length', U32, 32), ('gpt2.attention.head_count', U32, 1),
        ('gpt2.attention.layer_norm_epsilon', F32, 1e-6),
        ('tokenizer.ggml.model', TEXT, 'gpt2'), ('tokenizer.ggml.pre', TEXT, 'gpt-2'),
        ('tokenizer.ggml.tokens', LIST, (TEXT, names)),
        ('tokenizer.ggml.token_type', LIST, (I32, [kind for _, kind in tokens])),
        # No two of them ever meet: a prompt is a token per byte.
        ('tokenizer.ggml.merges', LIST, (TEXT, [f'{LETTERS[0]} {LETTERS[0]}'])),
        ('tokenizer.ggml.bos_token_id', U32, names.index(begin)), ('tokenizer.ggml.eos_token_id', U32, 0),
        ('tokenizer.ggml.add_bos_token', BOOL, False), ('tokenizer.chat_template', TEXT, template),
    ]
    tensors = [('token_embd.weight', (width, len(tokens)), floats(len(tokens) * width)),
               ('position_embd.weight', (width, places), positions), ('output.weight', (width, len(tokens)), output)]
    for name in ('output_norm', 'blk.0.attn_norm', 'blk.0.ffn_norm'):
        tensors += [(f'{name}.weight', (width,), array.array('f', [1.0] * width)), (f'{name}.bias', (width,), floats(width))]
    for name, rows, columns in (('attn_qkv', width, 3 * width), ('attn_output', width, width), ('ffn_up', width, 32),
                                ('ffn_down', 32, width)):
        tensors += [(f'blk.0.{name}.weight', (rows, columns), floats(rows * columns)),
                    (f'blk.0.{name}.bias', (columns,), floats(columns))]
    return gguf(fields, tensors)


def floats(count):
    return array.array('f', bytes(4 * count))


def gguf(fields, tensors):
    """Version 3, little-endian, tensors aligned to 32 bytes. Source: docs/gguf.md of ggml."""
    head = [b'GGUF', struct.pack('<IQQ', 3, len(tensors), len(fields))]
    head += [text(name) + struct.pack('<I', kind) + value_bytes(kind, value) for name, kind, value in fields]
    offset, contents = 0, []
    for name, shape, values in tensors:
        content = padded(values.tobytes())
        head.append(text(name) + struct.pack(f'<I{len(shape)}QIQ', len(shape), *shape, 0, offset))
        offset += len(content)
        contents.append(content)
    return padded(b''.join(head)) + b''.join(contents)


def value_bytes(kind, value):
    if kind == TEXT:
        return text(value)
    if kind == LIST:
        inner, values = value
        return struct.pack('<IQ', inner, len(values)) + b''.join(value_bytes(inner, each) for each in values)
    return struct.pack({U32: '<I', I32: '<i', F32: '<f', BOOL: '<?'}[kind], value)


def text(value):
    content = value.encode()
    return struct.pack('<Q', len(content)) + content


def padded(content):
    return content + bytes(-len(content) % 32)
