"""The prompt formats: templates, tool sections, calls to text and back."""

import json

from .. import reference
from ..messages import language, messages_in, messages_out, set_code_mode, shared_arguments
from ..scripted_model import scripted_model
from ..scripted_tools import scripted_tool
from ..session import Skipped


def prompt_of(name):
    """The object of a format that renders and reads."""
    if name == 'nous':
        if reference.nous is None:
            raise Skipped(f'Qwen-Agent {reference.VERSION} has no format nous')
        return reference.nous.NousFnCallPrompt()
    prompt = getattr(reference.qwen, 'QwenFnCallPrompt', None)
    if prompt is None:
        raise Skipped(f'Qwen-Agent {reference.VERSION} writes the format qwen in its chat call only: chat.prepare asks it')
    return prompt()


def preprocess(name, given, messages, lang):
    set_code_mode(given.get('special_code_mode'))
    return prompt_of(name).preprocess_fncall_messages(
        messages=messages,
        functions=given.get('functions'),
        lang=lang,
        **options_in(given),
    )


def options_in(given):
    """Those that are given: what is left out is for Qwen-Agent to say."""
    return {key: given[key] for key in ('parallel_function_calls', 'function_choice') if key in given}


def read_in_model(given, messages):
    """Until v0.0.7 the model class read the format itself. What its chat call does around that is no part of it."""
    if given.get('function_choice', 'auto') != 'auto':
        raise Skipped(f'Qwen-Agent {reference.VERSION} begins the reply itself where a function is chosen')
    model, _ = scripted_model()
    return model._postprocess_fncall_messages(messages)


def postprocess(name, given, messages):
    if name == 'qwen' and not hasattr(reference.qwen, 'QwenFnCallPrompt'):
        return read_in_model(given, messages)
    set_code_mode(given.get('special_code_mode'))
    read = prompt_of(name).postprocess_fncall_messages
    thought = shared_arguments(read, given, ('thought_in_content',)) if name == 'nous' else {}
    return read(messages=messages, **options_in(given), **thought)


def preprocess_nous(request):
    messages = messages_in(request)
    return {'messages': messages_out(preprocess('nous', request['input'], messages, language(request, messages)))}


def preprocess_qwen(request):
    messages = messages_in(request)
    made = preprocess('qwen', request['input'], messages, language(request, messages))
    return {'messages': messages_out(made), 'text': [text_of(each) for each in made]}


def text_of(message):
    if isinstance(message.content, str):
        return message.content
    return ''.join(item.text for item in message.content if item.text)


def postprocess_with(name):
    return lambda request: {'messages': messages_out(postprocess(name, request['input'], messages_in(request)))}


def fncall_template(request):
    given = request['input']
    if given['type'] == 'nous':
        name = 'FN_CALL_TEMPLATE_WITH_CI' if given.get('code_mode') else 'FN_CALL_TEMPLATE'
        if not hasattr(reference.nous, name):
            raise Skipped(f'Qwen-Agent {reference.VERSION} has no such template of the format nous')
        return {'text': getattr(reference.nous, name)}
    key = (given.get('lang') or 'zh') + ('_parallel' if given.get('parallel') else '')
    return {'text': reference.qwen.FN_CALL_TEMPLATE[key]}


def function_description(request):
    function, lang = request['input']['function'], request['input'].get('lang')
    if lang not in ('en', 'zh'):
        lang = 'zh' if reference.utils.has_chinese_chars(json.dumps(function, ensure_ascii=False)) else 'en'
    return {'text': reference.qwen.get_function_description(function, lang=lang)}


def remove_incomplete_special_tokens(request):
    return {'text': reference.qwen.remove_incomplete_special_tokens(request['input']['text'])}


def remove_trailing_comment(request):
    return {'text': reference.qwen.remove_trailing_comment_of_fn_args(request['input']['text'])}


def extract_fn(request):
    name, arguments = reference.nous.extract_fn(request['input']['text'])
    return {'name': name, 'arguments': arguments}


def train_sample(request):
    given = request['input']
    set_code_mode(False)
    if not hasattr(reference.qwen, 'QwenFnCallPrompt'):
        raise Skipped(f'Qwen-Agent {reference.VERSION} has no samples for training')
    made = prompt_of('qwen').format_plaintext_train_samples(
        messages=given['messages'],
        functions=given['functions'],
        **{key: given[key] for key in ('lang', 'parallel_function_calls') if key in given},
    )
    return {'messages': [{'role': each.role, 'content': each.content} for each in made]}


def react_agent(tools=()):
    model, _ = scripted_model()
    return reference.ReActChat(function_list=[scripted_tool(each, []) for each in tools], llm=model)


def detect_tool(request):
    has_action, action, action_input, text = react_agent()._detect_tool(request['input']['text'])
    return {'has_action': has_action, 'action': action, 'action_input': action_input, 'text': text}


def react_prompt(request):
    given = request['input']
    tools = [{**each, 'results': each.get('results', ['x'])} for each in given['tools']]
    lang = given.get('lang') or 'auto'
    return {'messages': messages_out(react_agent(tools)._prepend_react_prompt(messages_in(request), lang=lang))}


OPERATIONS = {
    'nous.preprocess': preprocess_nous,
    'nous.postprocess': postprocess_with('nous'),
    'nous.extract_fn': extract_fn,
    'qwen.preprocess': preprocess_qwen,
    'qwen.postprocess': postprocess_with('qwen'),
    'qwen.remove_incomplete_special_tokens': remove_incomplete_special_tokens,
    'qwen.remove_trailing_comment': remove_trailing_comment,
    'qwen.train_sample': train_sample,
    'react.detect_tool': detect_tool,
    'react.prompt': react_prompt,
    'fncall.template': fncall_template,
    'function_description': function_description,
}
