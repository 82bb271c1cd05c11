import type { PlainTemplate } from './response-template-parts.ts'
import { NAMED_CALL, THOUGHT, contentUntil, jsonCalls, taggedCalls, templateOf } from './response-template-parts.ts'

const CHATML_STOPS = ['<|im_end|>', '<|endoftext|>']
const QWEN_ANCHOR = '<|im_start|>assistant\n'
const USUAL = { name: 'name', arguments: 'arguments' }

const QWEN_TAGS: PlainTemplate = templateOf(QWEN_ANCHOR, {
  thinking: THOUGHT,
  tool_calls: taggedCalls({
    open: '\\s*<tool_call>\\s*<function=(?P<name>[^>\\n]+)>',
    close: '(?:</function>\\s*)?</tool_call>',
    tag: '<parameter=(?P<key>[^>\\n]+)>\\n?(?P<value>.*?)\\n?</parameter>',
  }),
  content: contentUntil(CHATML_STOPS),
})

const GLM: PlainTemplate = templateOf('<|assistant|>', {
  thinking: { open_pattern: '\\s*<think>', close_pattern: '</think>\\s*' },
  tool_calls: {
    open_pattern: '\\s*<tool_call>\\s*(?P<name>[^<\\n]+)',
    close: '</tool_call>',
    repeats: true,
    content: 'xml-inline',
    content_args: { tag_pattern: '<arg_key>\\s*(?P<key>.*?)\\s*</arg_key>\\s*<arg_value>(?P<value>.*?)</arg_value>' },
    transform: NAMED_CALL,
  },
  content: contentUntil(['<|user|>', '<|observation|>', '<|endoftext|>']),
})

const KIMI: PlainTemplate = templateOf('<|im_assistant|>assistant<|im_middle|>', {
  thinking: THOUGHT,
  tool_calls: {
    open_pattern:
      '\\s*(?:<\\|tool_calls_section_begin\\|>\\s*)?<\\|tool_call_begin\\|>\\s*(?P<id>(?:functions\\.)?(?P<name>[^\\s<]+?)(?::\\d+)?)\\s*<\\|tool_call_argument_begin\\|>',
    close: '<|tool_call_end|>',
    repeats: true,
    content: 'json',
    transform: { id: '{id}', type: 'function', function: { name: '{name}', arguments: '{content}' } },
  },
  content: contentUntil(['<|tool_calls_section_end|>', '<|im_end|>']),
})

const DEEPSEEK_ANCHOR = '<｜Assistant｜>'
const DEEPSEEK_STOP = '<｜end▁of▁sentence｜>'

const DEEPSEEK_V3: PlainTemplate = templateOf(DEEPSEEK_ANCHOR, {
  thinking: THOUGHT,
  tool_calls: {
    open_pattern:
      '\\s*(?:<｜tool▁calls▁begin｜>\\s*)?<｜tool▁call▁begin｜>function<｜tool▁sep｜>(?P<name>[^<\\n]+)\\n```json\\n',
    close_pattern: '\\s*```\\s*<｜tool▁call▁end｜>',
    repeats: true,
    content: 'json',
    transform: NAMED_CALL,
  },
  content: contentUntil(['<｜tool▁calls▁end｜>', DEEPSEEK_STOP]),
})

/** JSON that ends where the next call begins, or with the turn. */
const UNTIL_NEXT_CALL = { close_pattern: '(?=\\[TOOL_CALLS\\])|</s>', repeats: true, content: 'json' }

/** Formats as a `response_template` of transformers, by id; members are in the order in which they are written. */
export const RESPONSE_TEMPLATES: Readonly<Record<string, PlainTemplate>> = {
  nous: templateOf(QWEN_ANCHOR, {
    thinking: THOUGHT,
    tool_calls: jsonCalls({ open_pattern: '\\s*<tool_call>', close: '</tool_call>' }, USUAL),
    content: contentUntil(CHATML_STOPS),
  }),
  'qwen3.5': QWEN_TAGS,
  'qwen3-coder': QWEN_TAGS,
  'glm-4.5': GLM,
  'glm-4.7': GLM,
  'hy-v3': templateOf('<｜hy_Assistant:opensource｜>', {
    thinking: { open: '<think:opensource>', close_pattern: '</think:opensource>\\s*' },
    tool_calls: {
      open_pattern: '\\s*(?:<tool_calls:opensource>\\s*)?<tool_call:opensource>(?P<name>[^<\\n]+)<tool_sep:opensource>',
      close: '</tool_call:opensource>',
      repeats: true,
      content: 'xml-inline',
      content_args: {
        tag_pattern:
          '<arg_key:opensource>(?P<key>.*?)</arg_key:opensource>\\s*<arg_value:opensource>(?P<value>.*?)</arg_value:opensource>',
      },
      transform: NAMED_CALL,
    },
    content: contentUntil(['</tool_calls:opensource>', '<｜hy_eos:opensource｜>']),
  }),
  gigachat3: templateOf('assistant<|role_sep|>\n', {
    tool_calls: jsonCalls({ open: '<|function_call|>', close: '<|message_sep|>' }, USUAL),
    content: contentUntil(['<|message_sep|>']),
  }),
  'hunyuan-a13b': templateOf(['<|extra_0|>', '<|extra_4|>'], {
    thinking: { open: '<think>\n', close_pattern: '\n</think>\n' },
    tool_calls: listCalls('<tool_calls>', '</tool_calls>'),
    content: contentUntil(['<answer>', '</answer>', '<|eos|>']),
  }),
  'nemotron-v2': templateOf('<SPECIAL_11>Assistant\n', {
    thinking: { open: '<think>\n', close_pattern: '\n?</think>\n*' },
    tool_calls: listCalls('<TOOLCALL>', '</TOOLCALL>'),
    content: contentUntil(['<SPECIAL_12>']),
  }),
  'llama3-json': templateOf('<|start_header_id|>assistant<|end_header_id|>\n\n', {
    tool_calls: jsonCalls(
      { open_pattern: '^\\s*(?:<\\|python_tag\\|>)?\\s*(?=\\{)', close: ['<|eot_id|>', '<|eom_id|>'] },
      { name: 'name', arguments: 'parameters' },
    ),
    content: contentUntil(['<|eot_id|>', '<|eom_id|>']),
  }),
  harmony: templateOf('<|start|>assistant', {
    thinking: {
      open_pattern: '(?:<\\|start\\|>assistant)?<\\|channel\\|>analysis<\\|message\\|>',
      close: ['<|end|>', '<|return|>'],
      repeats: true,
      join: '\n',
    },
    content: {
      open_pattern:
        '(?:<\\|start\\|>assistant)?<\\|channel\\|>(?:final|commentary)(?: <\\|constrain\\|>\\w+)?<\\|message\\|>',
      close: ['<|end|>', '<|return|>'],
      repeats: true,
      join: '\n',
    },
    tool_calls: {
      // The recipient is in the first or in the second part of the head.
      open_pattern:
        '(?:<\\|start\\|>assistant)?(?:<\\|channel\\|>(?:commentary|analysis))? to=(?:functions\\.)?(?P<name>[^\\s<]+)' +
        '(?:<\\|channel\\|>(?:commentary|analysis))?\\s*(?:(?:<\\|constrain\\|>)?json|code)?\\s*<\\|message\\|>',
      close: ['<|call|>', '<|end|>', '<|return|>'],
      repeats: true,
      content: 'json',
      content_args: { allow_non_json: true },
      transform: NAMED_CALL,
    },
  }),
  'gemma-4': templateOf(['<|turn>model\n', '<tool_response|>'], {
    thinking: { open: '<|channel>thought\n', close: '<channel|>' },
    tool_calls: {
      open_pattern: '<\\|tool_call>call:(?P<name>[^{]+)',
      close: '<tool_call|>',
      repeats: true,
      content: 'json',
      content_args: { unquoted_keys: true, string_delims: [['<|"|>', '<|"|>']] },
      transform: NAMED_CALL,
    },
    content: contentUntil(['<turn|>', '<|tool_response>', '<eos>']),
  }),
  'command-r7b': commandTemplate('(?:RESPONSE|TEXT)'),
  command4: commandTemplate('TEXT'),
  'kimi-k2': KIMI,
  'kimi-k2-thinking': KIMI,
  'deepseek-v3.1': templateOf(DEEPSEEK_ANCHOR, {
    thinking: THOUGHT,
    tool_calls: {
      open_pattern: '\\s*(?:<｜tool▁calls▁begin｜>\\s*)?<｜tool▁call▁begin｜>(?P<name>[^<]+)<｜tool▁sep｜>',
      close: '<｜tool▁call▁end｜>',
      repeats: true,
      content: 'json',
      transform: NAMED_CALL,
    },
    content: contentUntil(['<｜tool▁calls▁end｜>', DEEPSEEK_STOP]),
  }),
  'deepseek-v3': DEEPSEEK_V3,
  'deepseek-r1': DEEPSEEK_V3,
  'minimax-m2': templateOf(']~b]ai\n', {
    thinking: THOUGHT,
    tool_calls: taggedCalls({
      open: '\\s*(?:<minimax:tool_call>\\s*)?<invoke name="(?P<name>[^">]+)">',
      close: '</invoke>',
      tag: '<parameter name="(?P<key>[^">]+)">\\n?(?P<value>.*?)\\n?</parameter>',
    }),
    content: contentUntil(['</minimax:tool_call>', '[e~[']),
  }),
  minicpm5: templateOf(QWEN_ANCHOR, {
    thinking: THOUGHT,
    tool_calls: taggedCalls({
      open: '\\s*<function name="(?P<name>[^"<\\n]+)">(?=\\s*<(?:param name="|/function>))',
      close: '</function>',
      tag: '<param name="(?P<key>[^"]+)">(?:<!\\[CDATA\\[)?(?P<value>.*?)(?:\\]\\]>)?</param>',
    }),
    content: contentUntil(CHATML_STOPS),
  }),
  'muse-glimmer': templateOf('<|start|>assistant', {
    thinking: {
      open_pattern: '(?:<\\|start\\|>assistant)? to=self<\\|message\\|>',
      close: ['<|eom|>', '<|eot|>'],
      repeats: true,
      join: '\n',
    },
    content: {
      open_pattern: '(?:<\\|start\\|>assistant)? to=user<\\|message\\|>',
      close: ['<|eom|>', '<|eot|>'],
      repeats: true,
      join: '\n',
    },
    tool_calls: taggedCalls({
      open: '(?:(?:<\\|start\\|>assistant)? to=[^\\s<]+<\\|message\\|>\\s*<atem:function_calls>)?\\s*<atem:invoke name="(?P<name>[^">]+)">',
      close: '</atem:invoke>\\s*(?:</atem:function_calls>\\s*(?:<\\|eom\\|>|<\\|eot\\|>)?)?',
      tag: '<atem:parameter name="(?P<key>[^">]+)">(?P<value>.*?)</atem:parameter>',
    }),
  }),
  'seed-oss': templateOf('<seed:bos>assistant\n', {
    thinking: { open: '<seed:think>', close_pattern: '</seed:think>\\s*' },
    tool_calls: taggedCalls({
      open: '\\s*(?:<seed:tool_call>\\s*)?<function=(?P<name>[^>\\n]+)>',
      close: '</function>',
      tag: '<parameter=(?P<key>[^>\\n]+)>(?P<value>.*?)</parameter>',
    }),
    content: contentUntil(['</seed:tool_call>', '<seed:eos>']),
  }),
  functiongemma: templateOf(['<start_of_turn>model\n', '<end_function_response>'], {
    tool_calls: {
      open_pattern: '\\s*<start_function_call>call:(?P<name>[^{]+)',
      close: '<end_function_call>',
      repeats: true,
      content: 'json',
      content_args: { unquoted_keys: true, string_delims: [['<escape>', '<escape>']] },
      transform: NAMED_CALL,
    },
    content: contentUntil(['<end_of_turn>', '<start_function_response>', '<eos>']),
  }),
  'granite-3': templateOf('<|start_of_role|>assistant<|end_of_role|>', {
    thinking: THOUGHT,
    tool_calls: listCalls('(?:<\\|tool_call\\|>|<tool_call>)', '<|end_of_text|>'),
    content: contentUntil(['<response>', '</response>', '<|end_of_text|>']),
  }),
  'phi-4-mini': templateOf('<|assistant|>', {
    tool_calls: listCalls('functools(?=\\s*\\[)', '<|end|>'),
    content: contentUntil(['<|end|>']),
  }),
  'mistral-v3': templateOf('[/INST]', {
    tool_calls: listCalls('\\[TOOL_CALLS\\]', '</s>'),
    content: contentUntil(['</s>']),
  }),
  'mistral-v11': templateOf('[/INST]', {
    tool_calls: {
      open_pattern: '\\s*\\[TOOL_CALLS\\](?P<name>[^\\[]+)\\[CALL_ID\\](?P<id>[^\\[]*)\\[ARGS\\]',
      ...UNTIL_NEXT_CALL,
      transform: { id: '{id}', type: 'function', function: { name: '{name}', arguments: '{content}' } },
    },
    content: contentUntil(['</s>']),
  }),
  'mistral-v13': templateOf('[/INST]', {
    thinking: { open: '[THINK]', close_pattern: '\\[/THINK\\]\\s*' },
    tool_calls: {
      open_pattern: '\\s*\\[TOOL_CALLS\\](?P<name>[^\\[]+)\\[ARGS\\]',
      ...UNTIL_NEXT_CALL,
      transform: NAMED_CALL,
    },
    content: contentUntil(['</s>']),
  }),
}

/** A list of actions, and texts between tags of that name. */
function commandTemplate(text: string): PlainTemplate {
  return templateOf('<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>', {
    thinking: { open: '<|START_THINKING|>', close: '<|END_THINKING|>' },
    tool_calls: {
      open_pattern: '\\s*<\\|START_ACTION\\|>',
      close: '<|END_ACTION|>',
      content: 'json',
      transform_each: true,
      transform: {
        id: '{tool_call_id}',
        type: 'function',
        function: { name: '{tool_name}', arguments: '{parameters}' },
      },
    },
    content: {
      close_pattern: `<\\|(?:START|END)_${text}\\|>|<\\|END_OF_TURN_TOKEN\\|>`,
      repeats: true,
      join: '',
    },
  })
}

/** A list of calls that runs to the stop token. */
function listCalls(open: string, stop: string): Readonly<Record<string, unknown>> & PlainTemplate {
  return {
    open_pattern: `\\s*${open}\\s*`,
    close: stop,
    content: 'json',
    transform_each: true,
    transform: { type: 'function', function: { name: '{name}', arguments: '{arguments}' } },
  }
}

const LITERALS =
  'Its calls are Python expressions, which nest; patterns cannot follow their brackets and quotation marks.'
const NAME_AS_KEY =
  'The name of a call is a key of its object; a response template takes names from a group or from a fixed member.'
const ATTRIBUTES =
  'An attribute of each parameter says whether its value is text; a response template cannot type by a group.'

/** Formats that a `response_template` cannot say, each with the reason. */
export const NO_RESPONSE_TEMPLATE: Readonly<Record<string, string>> = {
  'minimax-m3':
    'The name of an argument is its tag, and tags nest; a pattern for the parts of a call cannot follow them.',
  pythonic: LITERALS,
  'llama-4': LITERALS,
  'olmo-3': LITERALS,
  lfm2: LITERALS,
  'lfm2.5': LITERALS,
  apertus: NAME_AS_KEY,
  'deepseek-v3.2': ATTRIBUTES,
  'deepseek-v4': ATTRIBUTES,
  'deepseek-v4.1': ATTRIBUTES,
  'kimi-k3': ATTRIBUTES,
}
