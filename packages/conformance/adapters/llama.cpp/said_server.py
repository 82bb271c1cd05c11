"""One reply, said through llama-server: `say(template, text, tools)` answers what the server makes of a model that writes the text.
Needs xllamacpp and said_model.py."""

import atexit
import json
import os
import re
import sys
import tempfile
import urllib.request

import xllamacpp
from said_model import model_bytes


# Threads of a server may hold up the end of the process.
atexit.register(lambda: (sys.stdout.flush(), os._exit(0)))


def open_server(content, context):
    """llama-server in this process, with a model file of this content; its HTTP port is `listening_address`."""
    with tempfile.TemporaryDirectory() as folder:
        options = xllamacpp.CommonParams()
        options.model.path = os.path.join(folder, 'said.gguf')
        with open(options.model.path, 'wb') as file:
            file.write(content)
        options.n_ctx, options.n_parallel, options.n_gpu_layers, options.verbosity = context, 1, 0, -1
        options.warmup, options.use_jinja = False, True
        return xllamacpp.Server(options)


def post(server, path, body):
    request = urllib.request.Request(server.listening_address + path, json.dumps(body).encode(), {'Content-Type': 'application/json'})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def say(template, text, tools, *, cut=False, **more):
    """The answer to a chat request, with the text that was written under `__verbose`. With `cut` the reply ends by max_tokens.
    A template is named by its file in models/templates of llama.cpp."""
    with open(os.path.join('models', 'templates', f'{template}.jinja'), encoding='utf-8') as file:
        own = {'template': file.read(), 'end': '<|im_end|>'}
    pieces = [piece.encode() for piece in re.findall(r'\w{1,6}|\s|.', text)]
    request = {'messages': [{'role': 'user', 'content': 'Hello.'}], 'tools': tools, 'temperature': 0, 'verbose': True, **more}
    first = open_server(model_bytes([], 0, **own), 64)
    prompt = post(first, '/apply-template', request)['prompt']
    before = len(post(first, '/tokenize', {'content': prompt, 'add_special': True, 'parse_special': True})['tokens'])
    server = open_server(model_bytes(pieces, before, **own), before + len(pieces) + 64)
    return server.handle_chat_completions({**request, 'max_tokens': len(pieces) + (0 if cut else 32)})


def tool(name, properties):
    return {'type': 'function', 'function': {'name': name, 'parameters': {'type': 'object', 'properties': properties}}}
