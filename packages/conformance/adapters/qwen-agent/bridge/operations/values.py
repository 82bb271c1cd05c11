"""Python's own JSON and texts, the readers of arguments, and the tokenizer."""

import json

import json5

from .. import reference
from ..messages import shared_arguments


def json_dumps(request):
    given = request['input']
    value = json.loads(given['json_text'])
    return {'text': json.dumps(value, indent=given.get('indent'), ensure_ascii=bool(given.get('ensure_ascii')))}


def py_strip(request):
    given = request['input']
    return {'text': getattr(given['text'], given.get('mode') or 'strip')(given.get('chars'))}


def json5_loads(request):
    return {'dumps': json.dumps(json5.loads(request['input']['text']), ensure_ascii=False)}


def json_loads_lenient(request):
    return {'dumps': json.dumps(reference.utils.json_loads(request['input']['text']), ensure_ascii=False)}


def code_extract(request):
    return {'text': reference.utils.extract_code(request['input']['text'])}


def url_basename(request):
    return {'basename': reference.utils.get_basename_from_url(request['input']['url'])}


def cfg_merge(request):
    given = request['input']
    return {'cfg': reference.utils.merge_generate_cfgs(given['base'], given['new'])}


def tokenizer_tokenize(request):
    pieces = reference.tokenizer.tokenize(request['input']['text'])
    shown = [f's:{each}' if isinstance(each, str) else each.hex() for each in pieces]
    return {'ids': reference.tokenizer.convert_tokens_to_ids(pieces), 'tokens_hex': shown}


def tokenizer_count(request):
    return {'count': reference.tokenizer.count_tokens(request['input']['text'])}


def tokenizer_truncate(request):
    given = request['input']
    truncate = reference.tokenizer.truncate
    options = shared_arguments(truncate, given, ('start_token', 'keep_both_sides'))
    return {'text': truncate(text=given['text'], max_token=given['max_token'], **options)}


def stop_words_partials(request):
    """What is left of a stop word when its last token is missing."""
    tokenizer = reference.tokenizer
    beginnings = [tokenizer.tokenize(word)[:-1] for word in request['input']['stop']]
    return {'partials': sorted({tokenizer.convert_tokens_to_string(each) for each in beginnings if each})}


OPERATIONS = {
    'json_dumps': json_dumps,
    'py_strip': py_strip,
    'json5_loads': json5_loads,
    'json_loads_lenient': json_loads_lenient,
    'code.extract': code_extract,
    'url.basename': url_basename,
    'cfg.merge': cfg_merge,
    'tokenizer.tokenize': tokenizer_tokenize,
    'tokenizer.count': tokenizer_count,
    'tokenizer.truncate': tokenizer_truncate,
    'stop_words.partials': stop_words_partials,
}
