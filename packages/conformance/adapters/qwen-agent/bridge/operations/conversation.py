"""Messages on their way to a model: their forms, checks, and what is cut."""

from .. import reference
from ..messages import language, message_in, message_out, messages_in, messages_out, shared_arguments
from ..scripted_model import scripted_model


def multimodal_format(request):
    convert = reference.utils.format_as_multimodal_message
    names = ('add_upload_info', 'add_multimodel_upload_info', 'add_audio_upload_info', 'lang')
    return {'message': message_out(convert(message_in(request), **shared_arguments(convert, request['input'], names)))}


def text_format(request):
    convert = reference.utils.format_as_text_message
    options = shared_arguments(convert, request['input'], ('add_upload_info', 'lang'))
    return {'message': message_out(convert(message_in(request), **options))}


def text_extract(request):
    extract = reference.utils.extract_text_from_message
    options = shared_arguments(extract, request['input'], ('add_upload_info', 'lang'))
    return {'text': extract(message_in(request), **options)}


def validate(request):
    return {'message': message_out(message_in(request))}


def validate_results(request):
    check = reference.function_calling.validate_num_fncall_results
    check(messages_in(request), **shared_arguments(check, request['input'], ('support_multimodal_input',)))
    return {'ok': True}


def remove_fncall_messages(request):
    messages = messages_in(request)
    model, _ = scripted_model()
    return {'messages': messages_out(model._remove_fncall_messages(messages, lang=language(request, messages)))}


def continuation_merge(request):
    messages = messages_in(request)
    merge = getattr(reference.function_calling, 'simulate_response_completion_with_chat', None)
    if merge is not None:
        return {'messages': messages_out(merge(messages))}
    model, _ = scripted_model()
    model._chat = lambda messages, **kwargs: messages
    return {'messages': messages_out(model._continue_assistant_response(messages, generate_cfg={}, stream=False))}


def oai_convert(request):
    model, _ = scripted_model()
    messages = messages_in(request)
    if hasattr(model, 'convert_messages_to_dicts'):
        return {'messages': model.convert_messages_to_dicts(messages)}
    return {'messages': messages_out(messages)}


def chatml_render(request):
    build = reference.utils.build_text_completion_prompt
    options = shared_arguments(build, request['input'], ('allow_special', 'default_system'))
    return {'text': build(messages_in(request), **options)}


def lang_detect(request):
    return {'has_chinese': reference.utils.has_chinese_messages(messages_in(request))}


def stop_words_postprocess(request):
    cut = reference.base._postprocess_stop_words(messages_in(request), stop=request['input']['stop'])
    return {'messages': messages_out(cut)}


def truncate_input(request):
    limit = request['input']['max_tokens']
    return {'messages': messages_out(reference.base._truncate_input_messages_roughly(messages_in(request), limit))}


OPERATIONS = {
    'multimodal.format': multimodal_format,
    'text.format': text_format,
    'text.extract': text_extract,
    'message.validate': validate,
    'validate_fncall_results': validate_results,
    'remove_fncall_messages': remove_fncall_messages,
    'continuation.merge': continuation_merge,
    'oai.convert': oai_convert,
    'chatml.render': chatml_render,
    'lang.detect': lang_detect,
    'stop_words.postprocess': stop_words_postprocess,
    'truncate_input': truncate_input,
}
