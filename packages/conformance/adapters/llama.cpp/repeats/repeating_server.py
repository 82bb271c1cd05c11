"""llama-server, as xllamacpp brings it, with a model that repeats what a request asks it to say; README.md says how it is used."""

import argparse
import json
import os
import signal
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', '..', 'python-engines')]
from engine_session import load_first, Missing, special_tokens, started  # noqa: E402
from repeating_model import repeating_bytes  # noqa: E402

HINT = 'xllamacpp is not there. Install it: pip install xllamacpp.'
# Longer texts than this cannot be said.
DISTANCE = 1536


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--template', required=True, help='a file with a chat template')
    parser.add_argument('--format', action='append', required=True, help='its special tokens are one token each')
    parser.add_argument('--context', type=int, default=16384, help='tokens of a prompt with its reply')
    parser.add_argument('--write', metavar='FILE', help='write the model to FILE, and start no server')
    given = parser.parse_args()
    own = template_of(given.template)
    content = repeating_bytes(DISTANCE, special=special_tokens(given.format), places=given.context, **own)
    if given.write:
        with open(given.write, 'wb') as file:
            file.write(content)
        return
    # Shows prompts and replies as they are: GET /slots.
    os.environ['LLAMA_SERVER_SLOTS_DEBUG'] = '1'
    server = serve(content, given.context)
    print(f'{server.listening_address}/v1', flush=True)
    for name in (signal.SIGINT, signal.SIGTERM):
        # The threads of the server would hold up an orderly end.
        signal.signal(name, lambda *_: os._exit(0))
    while True:
        signal.pause()


def template_of(path):
    """A chat template, and the tokens with which its turns begin and end."""
    with open(os.path.join(HERE, '..', 'templates.json'), encoding='utf-8') as file:
        known = [each for each in json.load(file) if each['file'] == os.path.basename(path)]
    tokens = known[0] if known else {}
    try:
        with open(path, encoding='utf-8') as file:
            end = tokens.get('eos', '<|im_end|>')
            return {'template': file.read(), 'begin': tokens.get('bos', end), 'end': end}
    except OSError as error:
        raise Missing(f'{path}: {error.strerror}. Name the file of a chat template.') from error


def serve(content, context):
    server, _ = load_first(['xllamacpp:Server'], HINT)
    params, _ = load_first(['xllamacpp:CommonParams'], HINT)
    options = params()
    with tempfile.TemporaryDirectory() as folder:
        options.model.path = os.path.join(folder, 'repeats.gguf')
        with open(options.model.path, 'wb') as file:
            file.write(content)
        options.n_ctx, options.n_parallel, options.n_gpu_layers, options.verbosity = context, 1, 0, -1
        options.cpuparams.n_threads = options.cpuparams_batch.n_threads = options.n_threads_http = 1
        options.warmup = options.fit_params = False
        options.use_jinja = options.endpoint_slots = True
        return server(options)


if __name__ == '__main__':
    started(main)
