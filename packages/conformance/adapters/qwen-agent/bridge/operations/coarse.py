"""The operations for outsiders: parse, stop, render, loop. A stream is a parse of every beginning."""

from .. import reference
from ..messages import language, messages_in, messages_out, shared_arguments
from ..scripted_model import scripted_model
from ..session import Skipped
from .agents import DEFAULT_LIMITS, Run
from .formats import postprocess, preprocess, react_agent, text_of

STOP_WORDS = {'qwen': ['✿RESULT✿', '✿RETURN✿'], 'nous': [], 'react': ['Observation:', 'Observation:\n']}


def names_of_reference(given):
    """The members of a coarse input as the fine-grained operations call them."""
    choice = given.get('tool_choice') or 'auto'
    return {
        'functions': given.get('tools') or [],
        'function_choice': choice['name'] if isinstance(choice, dict) else choice,
        'parallel_function_calls': bool(given.get('parallel_calls')),
        'special_code_mode': bool(given.get('code_mode')),
        'thought_in_content': bool(given.get('thought_in_content')),
    }


def parse(request):
    given = names_of_reference(request['input'])
    text = request['input']['text']
    if given['function_choice'] == 'none':
        return {'items': items_of(reference.Message(role='assistant', content=text))}
    if request['format'] == 'react':
        return {'items': react_items(text)}
    read = postprocess(request['format'], given, reply_messages(text))
    return {'items': [item for message in read for item in items_of(message)]}


def reply_messages(text):
    # From 0.0.34 on the client gives no message at all where nothing was written.
    if text == '' and tuple(map(int, reference.VERSION.split('.')[:3])) >= (0, 0, 34):
        return []
    return [reference.Message(role='assistant', content=[reference.ContentItem(text=text)])]


def react_items(text):
    has_action, action, arguments, thought = react_agent()._detect_tool(text)
    items = items_of(reference.Message(role='assistant', content=thought))
    return [*items, {'type': 'call', 'name': action, 'arguments': arguments}] if has_action else items


def items_of(message):
    items = []
    reasoning = getattr(message, 'reasoning_content', None)
    if reasoning:
        text = reasoning if isinstance(reasoning, str) else ''.join(item.text or '' for item in reasoning)
        items.append({'type': 'reasoning', 'text': text})
    if text_of(message) != '':
        items.append({'type': 'text', 'text': text_of(message)})
    call = message.function_call
    return [*items, {'type': 'call', 'name': call.name, 'arguments': call.arguments}] if call else items


def stop(request):
    given = request['input']
    words = given.get('stop')
    message = reference.Message(role='assistant', content=[reference.ContentItem(text=given['text'])])
    cut = reference.base._postprocess_stop_words(
        [message], stop=STOP_WORDS[request['format']] if words is None else words)
    return {'text': ''.join(text_of(each) for each in cut)}


def render(request):
    given = names_of_reference(request['input'])
    messages = messages_in(request)
    lang = request['input'].get('lang')
    lang = lang if lang in ('en', 'zh') else 'en'
    if request['format'] == 'react':
        tools = [{**each, 'results': ['x']} for each in given['functions']]
        asked = react_agent(tools)._prepend_react_prompt(messages, lang=lang)
        # The agent calls its model without functions: that chat step is part of the prompt.
        prompt = fncall_prompt('react', {**given, 'functions': []}, asked, lang)
    else:
        prompt = fncall_prompt(request['format'], given, messages, lang)
    build = reference.utils.build_text_completion_prompt
    output = {'messages': [{'role': each.role, 'content': plain(each.content)} for each in prompt]}
    options = {'allow_special': True, 'default_system': ''}
    if all(isinstance(each['content'], str) for each in output['messages']) and len(
            shared_arguments(build, options, tuple(options))) == len(options):
        output['text'] = build(prompt, **options)
    return output


def fncall_prompt(name, given, messages, lang):
    """The messages that a chat call sends, without what a chat call does about lengths and default system messages."""
    has_tools = bool(given['functions'])
    convert = reference.utils.format_as_multimodal_message
    options = {
        'add_upload_info': True,
        'add_multimodel_upload_info': has_tools,
        'add_audio_upload_info': has_tools,
        'lang': lang,
    }
    converted = [convert(each, **shared_arguments(convert, options, tuple(options))) for each in messages]
    if not has_tools or given['function_choice'] == 'none':
        model, _ = scripted_model()
        prompt = model._remove_fncall_messages(converted, lang=lang)
    elif name == 'qwen' and not hasattr(reference.qwen, 'QwenFnCallPrompt'):
        prompt = prompt_in_model(given, converted, lang)
    else:
        prompt = preprocess(name, given, converted, lang)
    is_text = all(item.text is not None for each in prompt for item in each.content)
    return [reference.Message(role=each.role, content=text_of(each)) for each in prompt] if is_text else prompt


def prompt_in_model(given, messages, lang):
    """Until v0.0.7 the model class wrote the format itself, in two steps of its chat call."""
    if given['function_choice'] != 'auto':
        raise Skipped(f'Qwen-Agent {reference.VERSION} begins the reply itself where a function is chosen')
    model, _ = scripted_model()
    if not messages or messages[0].role != 'system':
        # The tools are written behind a system message, so its chat call puts one there.
        default = reference.base.DEFAULT_SYSTEM_MESSAGE
        messages = [reference.Message(role='system', content=[reference.ContentItem(text=default)]), *messages]
    return model._prepend_fncall_system(
        messages=model._preprocess_fncall_messages(messages),
        functions=given['functions'],
        lang=lang,
        parallel_function_calls=given['parallel_function_calls'],
    )


def plain(content):
    return content if isinstance(content, str) else [item.model_dump() for item in content]


def loop(request):
    given = request['input']
    is_react = request['format'] == 'react'
    cfg = {} if is_react else {'generate_cfg': {'fncall_prompt_type': request['format']}}
    script = {**given, 'tools': given.get('tools') or [], 'cfg': cfg, 'max_llm_calls': given.get('max_model_calls')}
    kind = reference.ReActChat if is_react else reference.FnCallAgent
    run = Run(kind, script, {'system_message': given.get('system_message')})
    run.go(given['messages'], lang=language(request, messages_in(request)))
    return {
        'reason': reason_of(run, script),
        'prompts': [[{'role': each['role'], 'content': each.get('content') or ''} for each in messages]
                    for messages in run.record.service_messages],
        'calls': [{'name': each['tool'], 'arguments': each['args']} for each in run.tool_log],
        'final': run.yields[-1] if run.yields else [],
    }


def reason_of(run, script):
    """Qwen-Agent does not say why it ended: out of calls, with a result that nobody has read, it was stopped."""
    if run.error is not None:
        return 'raised'
    if len(run.record.service_messages) < (script['max_llm_calls'] or max(DEFAULT_LIMITS.values(), default=0)):
        return 'answered'
    if not run.yields or not run.yields[-1]:
        # Nothing was written, so the model was asked again, as often as it may be.
        return 'model-call-limit'
    last = run.yields[-1][-1]
    # ReActChat shows its scratchpad: after a result it ends in the cue for the next thought.
    is_waiting = last.get('role') == 'function' or ends_in_cue(str(last.get('content')), written_last(run, script))
    return 'model-call-limit' if is_waiting else 'answered'


def ends_in_cue(text, written):
    # What the model itself wrote, a final text that ends in these words included, is no cue.
    return text.rstrip().endswith('Thought:') and not (written and text.rstrip().endswith(written))


def written_last(run, script):
    """The last reply that was asked for, without the blanks behind it."""
    completions = script['completions']
    asked = min(len(run.record.service_messages), len(completions))
    last = completions[asked - 1] if asked > 0 else ''
    return str(last.get('content') or '' if isinstance(last, dict) else last).rstrip()


OPERATIONS = {'parse': parse, 'stop': stop, 'render': render, 'loop': loop}
