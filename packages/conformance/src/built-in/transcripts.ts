import { InputError } from '@callspec/core'
import { REACT_PROMPT } from '@callspec/core/qwen-agent'
import type { PyDict, PyValue } from '@callspec/python'
import { isDict, isList, loads, repr } from '@callspec/python'
import { builtInImplementation } from './implementation.ts'
import { MachineryError } from '../implementation.ts'
import { readTextFile } from '../files.ts'
import { ownFile } from '../own-files.ts'

/** A place where a document does not print what the program produces. */
export interface PrintedOtherwise {
  /** Offset in the text, in code points from 0. */
  readonly at: number
  readonly ours: string
  readonly printed: string
  /** Why, in a sentence. */
  readonly why: string
}

/** A prompt that a public document prints, as our code produces it. */
export interface DocumentedTranscript {
  readonly name: string
  /** The version of Qwen-Agent that it is produced under. */
  readonly version: string
  readonly text: string
  readonly differences: readonly PrintedOtherwise[]
}

/** The versions of ours among those that made each document; fixtures/transcripts/README.md says how that is known. */
export const DOCUMENTS: readonly {
  readonly document: string
  readonly produce: Produce
  readonly profiles: readonly [string, ...string[]]
}[] = [
  { document: '000', produce: walkThrough, profiles: ['v0.0.13'] },
  { document: '002', produce: assistantWithFile, profiles: ['v0.0.13', 'v0.0.7'] },
  { document: '004', produce: reactRun, profiles: ['v0.0.13', 'v0.0.7'] },
]

/** Every prompt that the documents print, produced again from their inputs. */
export async function documentedTranscripts(): Promise<readonly DocumentedTranscript[]> {
  const [inputs, damage] = await Promise.all([readData('inputs.json'), readData('damage.json')])
  const read = JSON.parse(damage) as Damage
  const found: DocumentedTranscript[] = []
  for (const { document, produce, profiles } of DOCUMENTS) {
    const [version] = profiles
    const texts = await produce(inputOf(inputs, document), version)
    for (const [name, text] of Object.entries(texts)) {
      const edits = read.transcripts[name] ?? []
      const differences = edits.map(({ reason, ...edit }) => ({ ...edit, why: read.reasons[reason] ?? reason }))
      found.push({ name, version, text, differences })
    }
  }
  return found
}

/** What a document was made from. @throws InputError where there is nothing of that name */
export function inputOf(inputs: string, document: string): Parameters<Produce>[0] {
  const all = loads(inputs)
  const input = isDict(all) ? all.get(document) : undefined
  if (input === undefined || !isDict(input)) throw new InputError('inputs.json', `has no document ${document}.`)
  return input
}

interface Damage {
  readonly reasons: Readonly<Record<string, string>>
  readonly transcripts: Readonly<Record<string, readonly Edit[]>>
}

interface Edit extends Omit<PrintedOtherwise, 'why'> {
  readonly reason: string
}

async function readData(name: string): Promise<string> {
  const path = ownFile(`data/transcripts/${name}`)
  try {
    return await readTextFile(path)
  } catch {
    throw new MachineryError(`${path}: cannot be read. In the repository, \`pnpm build\` copies it there.`)
  }
}

const implementation = builtInImplementation()

/** Texts by their names, in the order in which the document prints them. */
export type Transcripts = Readonly<Record<string, string>>

/** Makes the prompts that a document prints, with the inputs of that document, under a version of Qwen-Agent. */
export type Produce = (input: PyDict, profile: string) => Promise<Transcripts>

/** The prompt templates that document 000 prints, and the ReAct prompt of its example. */
export async function walkThrough(input: PyDict, profile: string): Promise<Transcripts> {
  const template = async (lang: string, parallel: boolean): Promise<string> =>
    text(
      (await answerText('fncall.template', profile, { type: text(input.get('template')), lang, parallel })).get('text'),
    )
  const { messages } = listedMembers(
    await answerText(text(input.get('operation')), profile, {
      tools: input.get('tools') ?? [],
      messages: input.get('messages') ?? [],
      lang: 'zh',
    }),
  )
  return {
    '000-template-zh': `${await template('zh', false)}\n`,
    '000-template-en': `${await template('en', false)}\n`,
    '000-template-zh_parallel': `${await template('zh', true)}\n`,
    '000-template-en_parallel': `${await template('en', true)}\n`,
    [text(input.get('prompt'))]: REACT_PROMPT,
    [text(input.get('message'))]: `[${list(messages)
      .map((message) => `Message(${repr(message)})`)
      .join(', ')}]\n`,
  }
}

/** Versions before v0.0.10 send the same messages, but their ChatML text lacks the line feed before `<|im_end|>`. */
const CHATML_PROFILE = 'v0.0.13'

/** The five model calls of document 002 as ChatML: two that look for keywords, three of the agent. */
export async function assistantWithFile(input: PyDict, profile: string): Promise<Transcripts> {
  const completions = list(input.get('completions'))
  const keywords = await answerText('keygen.run', profile, {
    strategy: input.get('keygen_strategy') ?? '',
    query: 'draw a dog',
    completions: completions.slice(0, 2),
  })
  const run = await answerText('assistant.run', profile, {
    messages: input.get('messages') ?? [],
    tools: toolsOfInputs(input),
    completions: completions.slice(2),
    system_message: input.get('system_message') ?? '',
    knowledge: JSON.stringify(list(input.get('retrieval_result')).map((item) => plainSource(item))),
    cfg: new Map([['generate_cfg', new Map([['max_input_tokens', 100_000n]])]]),
  })
  const prompts: Record<string, string> = {}
  for (const [at, messages] of [...list(keywords.get('calls')), ...list(run.get('calls'))].entries()) {
    const rendered = await answerText('chatml.render', CHATML_PROFILE, { messages, allow_special: true })
    prompts[`002-prompt${at + 1}`] = text(rendered.get('text'))
  }
  return prompts
}

/** The three prompts of document 004, and the reply that it pretty-prints. */
export async function reactRun(input: PyDict, profile: string): Promise<Transcripts> {
  const run = await answerText(text(input.get('operation')), profile, {
    messages: input.get('messages') ?? [],
    tools: toolsOfInputs(input),
    completions: input.get('completions') ?? [],
    agent_name: input.get('name') ?? null,
  })
  const prompts = list(run.get('calls')).map((messages) => text(dict(list(messages).at(-1)).get('content')))
  return {
    '004-prompt1': prompts[0] ?? '',
    '004-prompt2': prompts[1] ?? '',
    '004-prompt3': prompts[2] ?? '',
    '004-final-print': `${pprint(run.get('final') ?? null)}\n`,
  }
}

async function answerText(op: string, profile: string, input: Readonly<Record<string, PyValue>>): Promise<PyDict> {
  const reply = await implementation.answer({ id: op, op, profile, input: new Map(Object.entries(input)) })
  if (reply.kind === 'returned' && isDict(reply.value)) return reply.value
  throw new Error(`${op}: ${JSON.stringify(reply)}`)
}

function toolsOfInputs(input: PyDict): PyValue {
  const results = dict(input.get('tool_results'))
  return list(input.get('tools')).map((tool) => {
    const name = text(dict(tool).get('name'))
    return new Map([...dict(tool), ['results', results.get(name) ?? ['']]])
  })
}

function plainSource(item: PyValue): { readonly url: string; readonly text: readonly string[] } {
  return { url: text(dict(item).get('url')), text: list(dict(item).get('text')).map(text) }
}

function listedMembers(value: PyDict): Readonly<Record<string, PyValue>> {
  return Object.fromEntries(value)
}

function text(value: PyValue | undefined): string {
  if (typeof value === 'string') return value
  throw new Error('text was expected')
}

function list(value: PyValue | undefined): readonly PyValue[] {
  if (Array.isArray(value)) return value as readonly PyValue[]
  throw new Error('a list was expected')
}

function dict(value: PyValue | undefined): PyDict {
  if (isDict(value)) return value
  throw new Error('a map was expected')
}

const WIDTH = 80
const INDENT = 2

interface PrintPosition {
  /** Columns before the value. */
  readonly indent: number
  /** Columns that brackets and commas after the value will take. */
  readonly allowance: number
}

/** What Python's `pprint.pformat(value, indent=2)` gives, for lists, maps and texts inside a list or map. */
export function pprint(value: PyValue, { indent, allowance }: PrintPosition = { indent: 0, allowance: 0 }): string {
  const line = repr(value)
  if ([...line].length <= WIDTH - indent - allowance) return line
  if (isDict(value)) return `{${' '.repeat(INDENT - 1)}${printedMembers(value, indent, allowance + 1)}}`
  if (isList(value)) return `[${' '.repeat(INDENT - 1)}${listItems(value, indent, allowance + 1)}]`
  return typeof value === 'string' && value !== '' ? chunks(value, indent, allowance) : line
}

function printedMembers(dict: ReadonlyMap<string, PyValue>, outer: number, allowance: number): string {
  const indent = outer + INDENT
  const sorted = [...dict].sort(([left], [right]) => (left < right ? -1 : 1))
  const printed = sorted.map(([key, item], at) => {
    const name = repr(key)
    const place = { indent: indent + name.length + 2, allowance: at === sorted.length - 1 ? allowance : 1 }
    return `${name}: ${pprint(item, place)}`
  })
  return printed.join(`,\n${' '.repeat(indent)}`)
}

function listItems(list: readonly PyValue[], outer: number, allowance: number): string {
  const indent = outer + INDENT
  const printed = list.map((item, at) => pprint(item, { indent, allowance: at === list.length - 1 ? allowance : 1 }))
  return printed.join(`,\n${' '.repeat(indent)}`)
}

/** A long text as several literals below each other: cut at its line feeds, and where a line is too long at its blanks. */
function chunks(text: string, indent: number, allowance: number): string {
  const width = WIDTH - indent
  const lines = text.split(/(?<=\n)/)
  const printed = lines.flatMap((line, at) => {
    const isLast = at === lines.length - 1
    return fitsColumns(line, width - (isLast ? allowance : 0))
      ? [repr(line)]
      : words(line, width, isLast ? allowance : 0)
  })
  return printed.join(`\n${' '.repeat(indent)}`)
}

function words(line: string, width: number, allowance: number): readonly string[] {
  const parts = (line.match(/\S*\s*/g) ?? []).filter((part) => part !== '')
  const printed: string[] = []
  let current = ''
  for (const [at, part] of parts.entries()) {
    const room = at === parts.length - 1 ? width - allowance : width
    if (fitsColumns(current + part, room)) {
      current += part
      continue
    }
    if (current !== '') printed.push(repr(current))
    current = part
  }
  return current === '' ? printed : [...printed, repr(current)]
}

function fitsColumns(text: string, room: number): boolean {
  return [...repr(text)].length <= room
}
