"""The agents that turn a question into keywords, and the memory that searches with them."""

import copy

from .. import reference
from ..messages import messages_out
from ..scripted_model import scripted_model
from ..session import error_of


def asked_strategy(given, completions):
    model, record = scripted_model(completions, cfg=given.get('cfg'))
    agent = reference.keygen_strategy(given['strategy'])(llm=model)
    script_vocabulary(agent, given)
    lang = {'lang': given['lang']} if given.get('lang') in ('en', 'zh') else {}
    return agent.run([reference.Message('user', given['query'])], **lang), record


def script_vocabulary(agent, given):
    """The tool that lists the words of documents answers with "vocabulary"; it would read files."""

    class Vocabulary:

        def call(self, params, **kwargs):
            return given.get('vocabulary', '')

    for each in (agent, getattr(agent, 'keygen', None)):
        if each is not None and 'extract_doc_vocabulary' in each.function_map:
            each.function_map['extract_doc_vocabulary'] = Vocabulary()


def stops_of(record):
    return [cfg.get('stop') or [] for cfg in record.generate_cfgs]


def keygen_prompt(request):
    emitted, record = asked_strategy(request['input'], ['x'])
    for _ in emitted:
        pass
    return {'messages': record.service_messages[0], 'stop': stops_of(record)[0]}


def keygen_run(request):
    emitted, record = asked_strategy(request['input'], request['input']['completions'])
    last, error = None, None
    try:
        for each in emitted:
            last = messages_out(copy.deepcopy(each))
    except Exception as raised:
        error = raised
    output = {'calls': record.service_messages, 'stops': stops_of(record), 'final': last}
    return output if error is None else {**output, 'error': error_of(error)}


def keygen_parse(request):
    """What the memory searches for: the keywords as it reads them, or the question itself."""
    given = request['input']
    searched = []

    class Retrieval:

        def call(self, params, **kwargs):
            searched.append(params)
            return 'found'

    model, record = scripted_model(given['completions'], cfg=given.get('cfg'))
    memory = reference.Memory(llm=model, files=['document.pdf'], rag_cfg={'rag_keygen_strategy': given['strategy']})
    memory.function_map['retrieval'] = Retrieval()
    for _ in memory.run(given['messages']):
        pass
    return {'retrieval_query': searched[0]['query'], 'num_llm_calls': len(record.service_messages)}


OPERATIONS = {'keygen.prompt': keygen_prompt, 'keygen.run': keygen_run, 'keygen.parse': keygen_parse}
