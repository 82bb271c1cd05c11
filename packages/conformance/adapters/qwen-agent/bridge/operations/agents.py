"""The agents: whole runs, and the steps that they are made of."""

import copy
import json

from .. import reference
from ..messages import messages_in, messages_out, set_code_mode
from ..scripted_model import scripted_model
from ..scripted_tools import scripted_tool, tool_with
from ..session import error_of
from .chat import without_drawn_seed


class EmptyRetrieval:
    """In the place of the search in files."""

    def __init__(self, log):
        self.log = log

    def call(self, params, **kwargs):
        self.log.append({'tool': 'retrieval', 'args': json.dumps(params, ensure_ascii=False)})
        return ''


class Run:
    """One run of an agent to its end."""

    def __init__(self, kind, given, options):
        set_code_mode(given.get('special_code_mode'))
        self.tool_log = []
        model, self.record = scripted_model(given['completions'],
                                            cfg=given.get('cfg'),
                                            attach_extra=given.get('attach_extra'))
        tools = [scripted_tool(each, self.tool_log) for each in given['tools']]
        self.agent = kind(function_list=tools, llm=model, **options)
        if hasattr(self.agent, 'mem'):
            self.agent.mem.function_map['retrieval'] = EmptyRetrieval(self.tool_log)
        limit_calls(given.get('max_llm_calls'))
        self.yields = []
        self.error = None

    def go(self, messages, **options):
        try:
            for emitted in self.agent.run(messages, **options):
                self.yields.append(copy.deepcopy(messages_out(emitted)))
        except Exception as error:
            self.error = error
        return self


DEFAULT_LIMITS = {
    module: module.MAX_LLM_CALL_PER_RUN
    for module in (reference.fncall_agent, reference.react_chat) if hasattr(module, 'MAX_LLM_CALL_PER_RUN')
}


def limit_calls(limit):
    for module, default in DEFAULT_LIMITS.items():
        module.MAX_LLM_CALL_PER_RUN = default if limit is None else limit


def run_of(kind):

    def operation(request):
        given = request['input']
        options = {}
        if 'system_message' in given:
            options['system_message'] = given['system_message']
        if 'agent_name' in given:
            options['name'] = given['agent_name']
        run = Run(kind, given, options)
        run.go(given['messages'], **{key: given[key] for key in ('lang', 'seed', 'knowledge') if key in given})
        return output_of(run, given)

    return operation


def output_of(run, given):
    record = run.record
    cfg = without_drawn_seed(record.generate_cfgs[0], given) if record.generate_cfgs else None
    if cfg is not None:
        cfg = {key: value for key, value in cfg.items() if key != 'lang'}
    output = {
        'calls': record.service_messages,
        'generate_cfg': cfg,
        'num_calls': len(record.service_messages),
        'tool_log': run.tool_log,
        'num_yields': len(run.yields),
        'final': run.yields[-1] if run.yields else None,
    }
    if run.error is not None:
        output['error'] = error_of(run.error)
    if given.get('record_yields'):
        output['yields'] = run.yields
    return output


def call_tool(request):
    given = request['input']
    model, _ = scripted_model()
    agent = reference.FnCallAgent(function_list=[scripted_tool(each, []) for each in given['tools']], llm=model)
    result = agent._call_tool(given['tool_name'], given['tool_args'], messages=[])
    return {'result': messages_out(result) if isinstance(result, list) else result}


def verify_args(request):
    given = request['input']
    verify = tool_with(given['tool'], lambda self, params, **kwargs: '')._verify_json_format_args
    options = {'strict_json': given['strict_json']} if takes_strict(verify) and 'strict_json' in given else {}
    return {'dumps': json.dumps(verify(given['params'], **options), ensure_ascii=False)}


def takes_strict(verify):
    return 'strict_json' in verify.__code__.co_varnames


def normalize(request):
    """What an agent hands to its inner loop."""
    given = request['input']
    seen = {}

    class Inner(reference.Agent):

        def _run(self, messages, lang='en', **kwargs):
            seen.update(messages=messages_out(copy.deepcopy(messages)), lang=lang)
            yield [reference.Message(role='assistant', content='x')]

    model, _ = scripted_model(cfg=given.get('cfg'))
    options = {key: given[key] for key in ('system_message', 'name') if key in given}
    asked = {'lang': given['lang']} if given.get('lang') in ('en', 'zh') else {}
    response = None
    for response in Inner(llm=model, **options).run(given['messages'], **asked):
        pass
    return {**seen, 'response': messages_out(response)}


def format_knowledge(request):
    return {'knowledge': reference.assistant.format_knowledge_to_source_and_content(request['input']['knowledge'])}


def knowledge_prompt(request):
    given = request['input']
    model, _ = scripted_model()
    agent = reference.Assistant(llm=model)
    agent.mem.function_map['retrieval'] = EmptyRetrieval([])
    agent.mem.rag_keygen_strategy = 'none'
    lang = {'lang': given['lang']} if given.get('lang') else {}
    made = agent._prepend_knowledge_prompt(messages=messages_in(request), knowledge=given['knowledge'], **lang)
    return {'messages': messages_out(made)}


OPERATIONS = {
    'fncall.run': run_of(reference.FnCallAgent),
    'react.run': run_of(reference.ReActChat),
    'assistant.run': run_of(reference.Assistant),
    'assistant.format_knowledge': format_knowledge,
    'assistant.knowledge_prompt': knowledge_prompt,
    'agent.call_tool': call_tool,
    'agent.verify_args': verify_args,
    'agent.normalize': normalize,
}
