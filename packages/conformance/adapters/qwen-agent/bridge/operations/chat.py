"""A call of the chat model as a whole, its stream, and its retries."""

from .. import reference
from ..messages import messages_out, set_code_mode
from ..scripted_model import scripted_model
from ..session import error_of


def chat_prepare(request):
    """What reaches the service, and what becomes of its answer."""
    given = request['input']
    set_code_mode(given.get('special_code_mode'))
    model, record = scripted_model([given.get('completion', 'done')],
                                   cfg=given.get('cfg'),
                                   multimodal=bool(given.get('multimodal')))
    # What is left out is for Qwen-Agent to say.
    options = {key: given[key] for key in ('functions', 'stream', 'delta_stream', 'extra_generate_cfg') if key in given}
    response = model.chat(messages=given['messages'], **options)
    if not isinstance(response, list):
        response = last_of(response)
    cfg = without_drawn_seed(record.generate_cfgs[-1], given)
    output = {
        'service_messages': record.service_messages[-1],
        'generate_cfg': cfg,
        'response': None if response is None else messages_out(response),
    }
    if record.wire_messages:
        output['wire_messages'] = record.wire_messages[-1]
        if 'tools' in cfg:
            output['wire_tools'] = cfg['tools']
    return output


def last_of(items):
    last = None
    for last in items:
        pass
    return last


def without_drawn_seed(cfg, given):
    """A seed that Qwen-Agent has drawn is no part of an answer; one that was asked for is."""
    settings = (given, given.get('extra_generate_cfg') or {}, (given.get('cfg') or {}).get('generate_cfg') or {})
    if any('seed' in each for each in settings):
        return cfg
    return {key: value for key, value in cfg.items() if key != 'seed'}


def postprocess_stream(name):
    """Every list that a chat emits while its reply comes in chunks."""

    def run(request):
        given = request['input']
        set_code_mode(given.get('special_code_mode'))
        model, _ = scripted_model([{'chunks': given['chunks']}], cfg={'generate_cfg': {'fncall_prompt_type': name}})
        emitted = model.chat(
            messages=[{'role': 'user', 'content': 'hi'}],
            functions=given.get('functions'),
            stream=True,
            extra_generate_cfg=given.get('extra_generate_cfg') or {},
        )
        return {'emitted': [messages_out(each) for each in emitted]}

    return run


def retry(request):
    given = request['input']
    reference.SLEEPS.clear()
    reference.base.random.random = lambda: given.get('jitter', 0)
    service = FailingService(given['errors'])
    outcome = retry_iterator(service, given) if given.get('iterator') else retry_call(service, given)
    return {**outcome, 'attempts': service.attempts, 'sleeps': list(reference.SLEEPS)}


def retry_call(service, given):
    try:
        return {'result': reference.base.retry_model_service(service.call, max_retries=given['max_retries'])}
    except Exception as error:
        return {'error': error_of(error)}


def retry_iterator(service, given):

    def attempt():
        yield from given.get('pre_yield') or []
        yield service.call()

    yielded = []
    try:
        for each in reference.base.retry_model_service_iterator(attempt, max_retries=given['max_retries']):
            yielded.append(each)
    except Exception as error:
        return {'yielded': yielded, 'error': error_of(error)}
    return {'yielded': yielded}


class FailingService:
    """Raises the errors of a case one by one, then answers."""

    def __init__(self, errors):
        self.errors = errors
        self.attempts = 0

    def call(self):
        self.attempts += 1
        if self.attempts > len(self.errors):
            return 'ok'
        error = self.errors[self.attempts - 1]
        if error.get('plain'):
            raise ValueError(error.get('message'))
        if 'exception' in error:
            raise reference.base.ModelServiceError(exception=Exception(error['exception']))
        raise reference.base.ModelServiceError(code=error.get('code'), message=error.get('message'))


OPERATIONS = {
    'chat.prepare': chat_prepare,
    'nous.postprocess_stream': postprocess_stream('nous'),
    'qwen.postprocess_stream': postprocess_stream('qwen'),
    'retry': retry,
}
