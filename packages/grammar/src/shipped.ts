import { existsSync, readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import type { GrammarTool } from './sample-calls.ts'
import { readTools } from './sample-calls.ts'
import { isSchema } from './schema-values.ts'
import { XGRAMMAR_RELEASE, XGRAMMAR_TAGS } from './shipped-xgrammar.ts'

/** The engines whose grammars are known. */
export const SHIPPING_ENGINES = ['xgrammar', 'vllm', 'sglang', 'llama.cpp'] as const
/** One of `SHIPPING_ENGINES`. */
export type ShippingEngine = (typeof SHIPPING_ENGINES)[number]

/** A grammar that an engine forces, for one choice of tools. */
export type ShippedRow = {
  readonly engine: ShippingEngine
  /** Of the engine: `vllm 0.33.0 (2026-11-02)`. */
  readonly release: string
  /** The version of xgrammar that reads the tag; null for GBNF. */
  readonly xgrammar: string | null
  /** What the engine calls it: a model, a tool parser, or the template. */
  readonly name: string
  /** The format that it belongs to; null if callspec has none. */
  readonly format: string | null
  readonly choice: 'auto' | 'required' | 'named'
  /** Whether the reply begins in a thought; null if the grammar is the same. */
  readonly thinking: boolean | null
  readonly kind: 'structural_tag' | 'gbnf'
  /** Whether it is only known for `shippedTools`; else it is made for any. */
  readonly isFixed: boolean
  /** For GBNF: where in a reply it starts to hold, and the generation prompt that it begins with. */
  readonly lazy: boolean
  readonly triggers: readonly unknown[]
  readonly before: string
  /** A tag with marks, or the text of GBNF. */
  readonly grammar: unknown
}

/** What a shipped grammar is requested for. */
export type ShippedRequest = {
  readonly tools: readonly GrammarTool[]
  readonly choice: 'auto' | 'required' | { readonly name: string }
  readonly reasoning: boolean
}

const DATA = new URL('../data/', import.meta.url)
let rows: readonly ShippedRow[] | null = null

/** The formats of xgrammar's models, and what prompts of formats open where a tag begins after it. */
export function shippedFormats(): Readonly<Record<'xgrammar' | 'opened', Readonly<Record<string, string>>>> {
  const text = readFileSync(new URL('formats.json', DATA), 'utf8')
  return JSON.parse(text) as Readonly<Record<'xgrammar' | 'opened', Readonly<Record<string, string>>>>
}

/** Every shipped grammar, by engine. Read once; about a megabyte. */
export function shippedRows(): readonly ShippedRow[] {
  rows ??= SHIPPING_ENGINES.flatMap((engine) => (engine === 'xgrammar' ? xgrammarRows() : rowsOfFile(engine)))
  return rows
}

/** `vllm/hermes`; a grammar of xgrammar by its model alone: `qwen_3`. */
export function shippedName({ engine, name }: Pick<ShippedRow, 'engine' | 'name'>): string {
  return engine === 'xgrammar' ? name : `${engine}/${name}`
}

/** The names of all shipped grammars. */
export function shippedNames(): readonly string[] {
  return [...new Set(shippedRows().map(shippedName))]
}

/** The tools that fixed grammars are for, and that published figures are about. */
export function shippedTools(): readonly GrammarTool[] {
  return readTools(JSON.parse(readFileSync(new URL('tools.json', DATA), 'utf8')) as unknown) ?? []
}

/** The row for a name and a request; null if the engine forces nothing then. */
export function shippedRow(name: string, { choice, reasoning }: Omit<ShippedRequest, 'tools'>): ShippedRow | null {
  const kind = typeof choice === 'object' ? 'named' : choice
  const own = name.startsWith('xgrammar/') ? name.slice('xgrammar/'.length) : name
  const fits = (row: ShippedRow): boolean =>
    shippedName(row) === own && row.choice === kind && (row.thinking === null || row.thinking === reasoning)
  return shippedRows().find(fits) ?? null
}

/** The grammar of a row for these tools; null for a fixed one with other tools, and for a name that no tool has. */
export function shippedGrammar(row: ShippedRow, { tools, choice }: Omit<ShippedRequest, 'reasoning'>): unknown {
  if (row.kind === 'gbnf' || row.isFixed) {
    if (JSON.stringify(tools) !== JSON.stringify(shippedTools())) return null
    return row.kind === 'gbnf' ? row.grammar : { type: 'structural_tag', format: row.grammar }
  }
  const wanted = typeof choice === 'object' ? tools.filter(({ name }) => name === choice.name) : tools
  const [chosen] = wanted
  if (chosen === undefined) return null
  const format = typeof choice === 'object' ? fill(row.grammar, chosen) : forTools(row.grammar, wanted)
  return { type: 'structural_tag', format }
}

function xgrammarRows(): readonly ShippedRow[] {
  const formats = shippedFormats().xgrammar
  const release = `xgrammar ${XGRAMMAR_RELEASE.version} (${XGRAMMAR_RELEASE.date})`
  return XGRAMMAR_TAGS.map((row) => {
    const [name = '', choice, thought] = row.split(' ', 3)
    const grammar = JSON.parse(row.slice(`${name} ${choice ?? ''} ${thought ?? ''} `.length)) as unknown
    return {
      ...{ engine: 'xgrammar', release, name, format: formats[name] ?? null, choice: choiceOf(choice), grammar },
      ...{
        xgrammar: XGRAMMAR_RELEASE.version,
        thinking: thought === 'thinking',
        kind: 'structural_tag',
        isFixed: false,
        lazy: false,
        triggers: [],
        before: '',
      },
    }
  })
}

/** The program `callspec` has the file compressed. */
function shippedText(file: URL): string {
  const compressed = new URL(`${file.href}.br`)
  return existsSync(compressed) ? brotliDecompressSync(readFileSync(compressed)).toString() : readFileSync(file, 'utf8')
}

function rowsOfFile(engine: Exclude<ShippingEngine, 'xgrammar'>): readonly ShippedRow[] {
  const text = shippedText(new URL(`shipped/${engine}.jsonl`, DATA))
  const [head = {}, ...lines] = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  const release = `${engine} ${String(head['version'])} (${String(head['date'])})`
  return lines.map((line) => ({
    ...{ engine, release, name: String(line['name']), grammar: line['grammar'], choice: choiceOf(line['choice']) },
    format: typeof line['format'] === 'string' ? line['format'] : null,
    thinking: typeof line['thinking'] === 'boolean' ? line['thinking'] : null,
    xgrammar: typeof head['xgrammar'] === 'string' ? head['xgrammar'] : null,
    kind: line['kind'] === 'gbnf' ? 'gbnf' : 'structural_tag',
    isFixed: 'tools' in line,
    lazy: line['lazy'] === true,
    triggers: Array.isArray(line['triggers']) ? (line['triggers'] as unknown[]) : [],
    before: typeof line['before'] === 'string' ? line['before'] : '',
  }))
}

function choiceOf(choice: unknown): ShippedRow['choice'] {
  return choice === 'required' || choice === 'named' ? choice : 'auto'
}

function forTools(value: unknown, tools: readonly GrammarTool[]): unknown {
  if (Array.isArray(value))
    return value.flatMap((one: unknown) => {
      if (!isSchema(one) || !('each_tool' in one)) return [forTools(one, tools)]
      const each = one['each_tool']
      const parts = Array.isArray(each) ? (each as unknown[]) : [each]
      return tools.flatMap((tool) => parts.map((part) => fill(part, tool)))
    })
  if (!isSchema(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, forTools(one, tools)]))
}

function fill(value: unknown, tool: GrammarTool): unknown {
  if (value === '%PARAMETERS%') return tool.parameters
  if (typeof value === 'string') return value.split('%NAME%').join(tool.name)
  if (Array.isArray(value)) return value.map((one) => fill(one, tool))
  if (!isSchema(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one, tool)]))
}
