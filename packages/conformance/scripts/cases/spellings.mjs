// Spellings of calls that formats share, for `spoken.mjs`. Arguments are pairs of a key and a JSON text.
export const json = (args) => `{${args.map(([key, value]) => `${JSON.stringify(key)}: ${value}`).join(', ')}}`
const plain = (value) => (value.startsWith('"') ? JSON.parse(value) : value)
export const tags = (args, write) => args.map(([key, value]) => write(key, plain(value), value)).join('')

/** Calls one after the other between two markers. */
export const section = (open, close, between, write) => (calls) => `${open}${calls.map(write).join(between)}${close}`

/** A list of calls in JSON. */
export const list =
  (open, close, { name = 'name', args = 'arguments', between = ', ', id }) =>
  (calls) =>
    `${open}${calls.map((call, at) => `{${id === 'first' ? `"tool_call_id": "${at}", ` : ''}"${name}": ${JSON.stringify(call.name)}, "${args}": ${json(call.args)}${id === 'last' ? `, "id": "${ID(at)}"` : ''}}`).join(between)}${close}`
export const ID = (at) => `call${String(at).padStart(5, '0')}`

/** A text with markup or lines in the brackets of XML. */
export const cdata = (text) => (/[<&\n]/.test(text) ? `<![CDATA[${text}]]>` : text)

export const coder = (open, close, [before, after]) =>
  section(
    `${open}\n`,
    `\n${close}`,
    `\n${close}\n${open}\n`,
    ({ name, args }) =>
      `<function=${name}>\n${tags(args, (key, text) => `<parameter=${key}>${before}${text}${after}</parameter>\n`)}</function>`,
  )
export const glm = (feed) =>
  section(
    '',
    '',
    feed,
    ({ name, args }) =>
      `<tool_call>${name}${feed}${tags(args, (key, text) => `<arg_key>${key}</arg_key>${feed}<arg_value>${text}</arg_value>${feed}`)}</tool_call>`,
  )

/** Keys and values in tags with the suffix of Hy3. */
const hyTag = (name) => `<${name}:opensource>`
export const hy = section(
  `${hyTag('tool_calls')}\n`,
  hyTag('/tool_calls'),
  '',
  ({ name, args }) =>
    `${hyTag('tool_call')}${name}${hyTag('tool_sep')}\n${tags(args, (key, text) => `${hyTag('arg_key')}${key}${hyTag('/arg_key')}\n${hyTag('arg_value')}${text}${hyTag('/arg_value')}\n`)}${hyTag('/tool_call')}\n`,
)
export const HY = [
  'tool_calls',
  'tool_call',
  'tool_sep',
  'arg_key',
  '/arg_key',
  'arg_value',
  '/arg_value',
  '/tool_call',
  '/tool_calls',
].map(hyTag)
export const HY_THINK = { open: hyTag('think'), close: hyTag('/think') }

/** A list of objects whose only key is the name. */
export const keyed = (open, close) =>
  section(open, close, ', ', ({ name, args }) => `{${JSON.stringify(name)}: ${json(args)}}`)
export const kimi = section(
  '<|tool_calls_section_begin|>',
  '<|tool_calls_section_end|>',
  '',
  ({ name, args }, at) =>
    `<|tool_call_begin|>functions.${name}:${at}<|tool_call_argument_begin|>${json(args)}<|tool_call_end|>`,
)
export const fenced = section(
  '<｜tool▁calls▁begin｜>',
  '<｜tool▁calls▁end｜>',
  '\n',
  ({ name, args }) =>
    `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n${json(args)}\n\`\`\`<｜tool▁call▁end｜>`,
)
export const bare = section(
  '<｜tool▁calls▁begin｜>',
  '<｜tool▁calls▁end｜>',
  '',
  ({ name, args }) => `<｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${json(args)}<｜tool▁call▁end｜>`,
)
export const dsml = (outer, blank) =>
  section(
    `\n\n<｜DSML｜${blank}${outer}>\n`,
    `\n</｜DSML｜${blank}${outer}>`,
    '\n',
    ({ name, args }) =>
      `<｜DSML｜${blank}invoke name="${name}">\n${tags(args, (key, text, value) => `<｜DSML｜${blank}parameter name="${key}" string="${value.startsWith('"')}">${text}</｜DSML｜${blank}parameter>\n`)}</｜DSML｜${blank}invoke>`,
  )

/** Calls in Python, with values as Python spells them; every escape of JSON is one of Python, too. */
export const python = (open, close, { between = ', ', spell = pythonText } = {}) =>
  section(
    open,
    close,
    between,
    ({ name, args }) => `${name}(${args.map(([key, value]) => `${key}=${spell(value)}`).join(', ')})`,
  )
const WORDS = { true: 'True', false: 'False', null: 'None' }
const pythonText = (value) => value.replaceAll(/"(?:[^"\\]|\\.)*"|true|false|null/g, (piece) => WORDS[piece] ?? piece)

/** Calls of the Gemma family: keys bare, texts between marks, nothing escaped. */
export const gemma = (open, close, quote) =>
  section(
    '',
    '',
    '',
    ({ name, args }) =>
      `${open}call:${name}{${args.map(([key, value]) => `${key}:${gemmaText(JSON.parse(value), value, quote)}`).join(',')}}${close}`,
  )
function gemmaText(value, spelt, quote) {
  if (typeof value === 'string') return `${quote}${value}${quote}`
  if (Array.isArray(value)) return `[${value.map((each) => gemmaText(each, JSON.stringify(each), quote)).join(',')}]`
  if (typeof value !== 'object' || value === null) return spelt
  return `{${Object.entries(value)
    .map(([key, each]) => `${key}:${gemmaText(each, JSON.stringify(each), quote)}`)
    .join(',')}}`
}

/** Messages of harmony after `<|start|>assistant`. */
export const NEXT = '<|start|>assistant'
export const harmony = section(
  '',
  '',
  NEXT,
  ({ name, args }) => `<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${json(args)}<|call|>`,
)

/** Between two messages of Muse Glimmer. */
export const MUSE_NEXT = '<|eom|><|start|>assistant'

/** Tags of MiniMax-M3, after their token: objects and lists nest. */
export const M3 = ']<]minimax[>['
export const m3Tag = (key, value) => `${M3}<${key}>${m3Text(JSON.parse(value), value)}${M3}</${key}>`
function m3Text(value, spelt) {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return spelt
  const members = Array.isArray(value) ? value.map((each) => ['item', each]) : Object.entries(value)
  return members.map(([key, each]) => m3Tag(key, JSON.stringify(each))).join('')
}

/** The schema of a JSON text, with those of its members: what no schema describes is text there. */
export function m3Schema(spelt) {
  const value = JSON.parse(spelt)
  if (Array.isArray(value))
    return { type: 'array', ...(value.length === 0 ? {} : { items: m3Schema(JSON.stringify(value[0])) }) }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, each]) => [key, m3Schema(JSON.stringify(each))])
    return { type: 'object', properties: Object.fromEntries(members) }
  }
  if (typeof value === 'number') return { type: /[.eE]/.test(spelt) ? 'number' : 'integer' }
  return { type: value === null ? 'null' : typeof value }
}

/** Sections of Kimi K3. */
export const open = (head) => `<|open|>${head}<|sep|>`
export const close = (name) => `<|close|>${name}<|sep|>`
const attribute = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
const K3_TYPES = { '"': 'string', '[': 'array', '{': 'object', t: 'boolean', f: 'boolean', n: 'null' }
const k3Type = (value) => K3_TYPES[value[0]] ?? (/[.eE]/.test(value) ? 'number' : 'integer')
export const k3 = section(
  open('tools'),
  close('tools'),
  '',
  ({ name, args }, at) =>
    `${open(`call tool="${attribute(name)}" index="${at + 1}"`)}${tags(args, (key, text, value) => `${open(`argument key="${attribute(key)}" type="${k3Type(value)}"`)}${text}${close('argument')}`)}${close('call')}`,
)

export const XML = { values: 'text', mayFollow: true, isBySchema: true }
export const THINK = { open: '<think>', close: '</think>' }
export const DEEPSEEK = [
  '<｜tool▁calls▁begin｜>',
  '<｜tool▁call▁begin｜>',
  '<｜tool▁call▁end｜>',
  '<｜tool▁calls▁end｜>',
]
export const KIMI = [
  '<|tool_calls_section_begin|>',
  '<|tool_call_begin|>',
  '<|tool_call_end|>',
  '<|tool_calls_section_end|>',
]
