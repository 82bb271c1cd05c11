import { ALL, atFirst, calling, CALLING, RIGHT } from './culprit.ts'
import type { Culprit } from './culprit.ts'

const EXPRESSION = '37*48-129'

/** A call as each family writes it, and what it is taken for. */
const LEFT: readonly (readonly [format: string, text: string])[] = [
  ['nous', `<tool_call>\n{"name": "calculator", "arguments": ${RIGHT}}\n</tool_call>`],
  ['qwen', `✿FUNCTION✿: calculator\n✿ARGS✿: ${RIGHT}`],
  ['llama3-json', `{"name": "calculator", "parameters": ${RIGHT}}`],
  ['llama3-json', `<|python_tag|>{"name": "calculator", "parameters": ${RIGHT}}`],
  ['bare JSON', `{"name": "calculator", "arguments": ${RIGHT}}`],
  ['mistral-v3', `[TOOL_CALLS][{"name": "calculator", "arguments": ${RIGHT}, "id": "a1B2c3D4e"}]`],
  ['mistral-v11', `[TOOL_CALLS]calculator[CALL_ID]a1B2c3D4e[ARGS]${RIGHT}`],
  ['mistral-v11 or mistral-v13', `[TOOL_CALLS]calculator[ARGS]${RIGHT}`],
  [
    'qwen3-coder or qwen3.5',
    `<tool_call>\n<function=calculator>\n<parameter=expression>\n${EXPRESSION}\n</parameter>\n</function>\n</tool_call>`,
  ],
  ['qwen3-coder', `<function=calculator>\n<parameter=expression>\n${EXPRESSION}\n</parameter>\n</function>`],
  ['functionary-v3.1', `<function=calculator>${RIGHT}</function>`],
  ['pythonic, llama-4, lfm2 or lfm2.5', `[calculator(expression="${EXPRESSION}")]`],
  ['llama-4', `<|python_start|>[calculator(expression="${EXPRESSION}")]<|python_end|>`],
  [
    'deepseek-v3 or deepseek-r1',
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>calculator\n\`\`\`json\n${RIGHT}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  ],
  [
    'deepseek-v3.1',
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>calculator<｜tool▁sep｜>${RIGHT}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  ],
  [
    'deepseek-v3.2',
    `<｜DSML｜function_calls>\n<｜DSML｜invoke name="calculator">\n<｜DSML｜parameter name="expression" string="true">${EXPRESSION}</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>`,
  ],
  [
    'deepseek-v4.1',
    `<｜DSML｜ calls>\n<｜DSML｜ invoke name="calculator">\n<｜DSML｜ parameter name="expression" string="true">${EXPRESSION}</｜DSML｜ parameter>\n</｜DSML｜ invoke>\n</｜DSML｜ calls>`,
  ],
  [
    'glm-4.5 or glm-4.7',
    `<tool_call>calculator\n<arg_key>expression</arg_key>\n<arg_value>${EXPRESSION}</arg_value>\n</tool_call>`,
  ],
  [
    'hy-v3',
    `<tool_calls:opensource>\n<tool_call:opensource>calculator<tool_sep:opensource>\n<arg_key:opensource>expression</arg_key:opensource>\n<arg_value:opensource>${EXPRESSION}</arg_value:opensource>\n</tool_call:opensource>\n</tool_calls:opensource>`,
  ],
  [
    'kimi-k2 or kimi-k2-thinking',
    `<|tool_calls_section_begin|><|tool_call_begin|>functions.calculator:0<|tool_call_argument_begin|>${RIGHT}<|tool_call_end|><|tool_calls_section_end|>`,
  ],
  [
    'kimi-k3',
    `<|open|>tools<|sep|><|open|>call tool="calculator" index="1"<|sep|><|open|>argument key="expression" type="string"<|sep|>${EXPRESSION}<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>`,
  ],
  ['harmony', `<|channel|>commentary to=functions.calculator <|constrain|>json<|message|>${RIGHT}<|call|>`],
  ['harmony', `commentary to=functions.calculator json${RIGHT}`],
  [
    'minimax-m2',
    `<minimax:tool_call>\n<invoke name="calculator">\n<parameter name="expression">${EXPRESSION}</parameter>\n</invoke>\n</minimax:tool_call>`,
  ],
  [
    'minimax-m3',
    `]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="calculator">]<]minimax[>[<expression>${EXPRESSION}]<]minimax[>[</expression>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>`,
  ],
  ['minicpm5', `<function name="calculator"><param name="expression">${EXPRESSION}</param></function>`],
  [
    'muse-glimmer',
    `<atem:function_calls>\n<atem:invoke name="calculator">\n<atem:parameter name="expression">${EXPRESSION}</atem:parameter>\n</atem:invoke>\n</atem:function_calls>`,
  ],
  ['gemma-4', `<|tool_call>call:calculator{expression:<|"|>${EXPRESSION}<|"|>}<tool_call|>`],
  [
    'functiongemma',
    `<start_function_call>call:calculator{expression:<escape>${EXPRESSION}<escape>}<end_function_call>`,
  ],
  ['granite-3', `<|tool_call|>[{"name": "calculator", "arguments": ${RIGHT}}]`],
  ['phi-4-mini', `functools[{"name": "calculator", "arguments": ${RIGHT}}]`],
  [
    'command-r7b or command4',
    `<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "calculator", "parameters": ${RIGHT}}\n]<|END_ACTION|>`,
  ],
  [
    'seed-oss',
    `<seed:tool_call>\n<function=calculator>\n<parameter=expression>${EXPRESSION}</parameter>\n</function>\n</seed:tool_call>`,
  ],
  ['internlm', `<|action_start|><|plugin|>\n{"name": "calculator", "parameters": ${RIGHT}}<|action_end|>`],
  ['hunyuan-a13b', `<tool_calls>[{"name": "calculator", "arguments": ${RIGHT}}]</tool_calls>`],
  ['gigachat3', `<|function_call|>{"name": "calculator", "arguments": ${RIGHT}}`],
  ['gigachat3', `function call<|role_sep|>\n{"name": "calculator", "arguments": ${RIGHT}}`],
  ['apertus', `<|tools_prefix|>[{"calculator": ${RIGHT}}]<|tools_suffix|>`],
  ['nemotron-v2', `<TOOLCALL>[{"name": "calculator", "arguments": ${RIGHT}}]</TOOLCALL>`],
  ['lfm2 or lfm2.5', `<|tool_call_start|>[calculator(expression="${EXPRESSION}")]<|tool_call_end|>`],
  ['olmo-3', `<function_calls>\ncalculator(expression="${EXPRESSION}")\n</function_calls>`],
  [
    'step-3',
    `<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="calculator"><steptml:parameter name="expression">${EXPRESSION}</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>`,
  ],
]

/** The tool parser of the server, and the reader of the host. */
export const PARSER_CULPRITS: readonly Culprit[] = [
  ...LEFT.map(([format, text]): Culprit => ({
    what: `a call of ${format} is left in the text: ${text.slice(0, 24)}`,
    ...{ blames: 'server', cause: 'call-left-in-text', formats: ['native'] },
    evidence: `tool_calls is empty, the text holds what looks like ${format}, `,
    says: atFirst({ text: `Let me see.\n${text}`, calls: [] }),
  })),
  {
    what: 'a call in a fence is left in the text',
    ...{ blames: 'server', cause: 'call-left-in-text', formats: ['native'] },
    evidence: 'what looks like bare JSON, ',
    says: atFirst({
      text: `I calculate.\n\`\`\`json\n{"name": "calculator", "arguments": ${RIGHT}}\n\`\`\``,
      calls: [],
    }),
  },
  {
    what: 'the marks of nous are stripped',
    ...{ blames: 'parser', cause: 'readable-but-refused', formats: ['fncall-nous'] },
    evidence: 'the call has no tags',
    alters: ({ text }) => ({ text: text.replaceAll(/<\/?tool_call>/g, () => '') }),
  },
  {
    what: 'the tags are in capitals',
    ...{ blames: 'parser', cause: 'readable-but-refused', formats: ['fncall-nous'] },
    evidence: 'the tag is spelled differently',
    says: atFirst({ text: (calling('fncall-nous').text ?? '').replaceAll('tool_call', () => 'TOOL_CALL') }),
  },
  {
    what: 'Action: stands inside a line',
    ...{ blames: 'parser', cause: 'readable-but-refused', formats: ['react'] },
    evidence: '"Action:" does not begin a line',
    says: atFirst({ text: `I calculate. Action: calculator\nAction Input: ${RIGHT}` }),
  },
  ...[
    `**Action:** calculator\n**Action Input:** ${RIGHT}`,
    `**Action**: calculator\n**Action Input**: ${RIGHT}`,
    `__Action:__ calculator\n__Action Input:__ ${RIGHT}`,
  ].map((call): Culprit => ({
    what: `the keywords are bold: ${call.slice(0, 12)}`,
    ...{ blames: 'parser', cause: 'readable-but-refused', formats: ['react'] },
    evidence: 'the keyword is spelled differently',
    says: atFirst({ text: `I calculate.\n${call}` }),
  })),
  ...['calculator(expression="37*48-129")', 'print(default_api.calculator(expression="37*48-129"))'].map(
    (code): Culprit => ({
      what: `a call in a fence of tool_code is left in the text: ${code.slice(0, 12)}`,
      ...{ blames: 'server', cause: 'call-left-in-text', formats: ['native'] },
      evidence: 'tool_calls is empty, the text holds what looks like ',
      says: atFirst({ text: `\`\`\`tool_code\n${code}\n\`\`\``, calls: [] }),
    }),
  ),
  {
    what: 'the context is too long',
    ...{ blames: 'prompt', cause: 'prompt-too-long', formats: ALL },
    evidence: 'the server says "',
    refuses: {
      status: 400,
      body: {
        error: { message: "This model's maximum context length is 64 tokens.", code: 'context_length_exceeded' },
      },
    },
  },
  {
    what: 'the prompt leaves no room for a token',
    ...{ blames: 'prompt', cause: 'prompt-too-long', formats: ALL },
    evidence: 'finish_reason is "length", and there is no token',
    alters: () => ({ text: '', calls: [], finish: 'length', usage: { prompt: 4096, completion: 0 } }),
  },
  {
    what: 'our own --max-tokens is too small',
    ...{ blames: 'setup', cause: 'max-tokens-too-small', formats: CALLING, maxTokens: 20 },
    evidence: 'max_tokens is 20, and all of them are used up: set --max-tokens 1024',
    says: atFirst({
      text: 'First of all, I am going to think about which of the tools would be the right one to take here.',
      calls: [],
    }),
  },
  ...CALLING.map((protocol): Culprit => ({
    what: 'our own --max-tokens is too small for a call',
    ...{ blames: 'setup', cause: 'max-tokens-too-small', formats: [protocol], maxTokens: 30, ofTurn: true },
    evidence: 'max_tokens is 30, and all of them are used up: set --max-tokens 1024',
    says: atFirst(calling(protocol, `{"expression": "37*48-129${'+0'.repeat(80)}"}`)),
  })),
  {
    what: 'our own --max-tokens is too small for the thinking',
    ...{ blames: 'setup', cause: 'max-tokens-too-small', formats: CALLING, maxTokens: 20, ofTurn: true },
    evidence: 'set --max-tokens 8192',
    says: atFirst({
      text: '',
      calls: [],
      reasoning: 'The user wants a product and a difference; a tool for that is there, and I had better take it now.',
    }),
  },
]
