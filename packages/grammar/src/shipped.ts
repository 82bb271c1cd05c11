import type { GrammarTool } from './sample-calls.ts'
import { isSchema } from './schema-values.ts'
import { XGRAMMAR_RELEASE, XGRAMMAR_TAGS } from './shipped-xgrammar.ts'

type Row = { readonly model: string; readonly choice: string; readonly reasoning: boolean; readonly format: string }

/** What a grammar of a shipped builder is requested for. */
export type ShippedRequest = {
  readonly tools: readonly GrammarTool[]
  readonly choice: 'auto' | 'required' | { readonly name: string }
  readonly reasoning: boolean
}

/** The models for which xgrammar builds tags. */
export const SHIPPED_MODELS: readonly string[] = [...new Set(XGRAMMAR_TAGS.map((row) => readRow(row).model))]

/** Who built them: the name, version and date of the release. */
export const SHIPPED_BY: string = `xgrammar ${XGRAMMAR_RELEASE.version} (${XGRAMMAR_RELEASE.date})`

/** The structural tag that xgrammar builds for a model and these tools; null for a model that it does not know. */
export function shippedGrammar(model: string, { tools, choice, reasoning }: ShippedRequest): object | null {
  const named = typeof choice === 'object' ? 'named' : choice
  const row = XGRAMMAR_TAGS.map(readRow).find(
    (one) => one.model === model && one.choice === named && one.reasoning === reasoning,
  )
  const wanted = typeof choice === 'object' ? tools.filter(({ name }) => name === choice.name) : tools
  if (!row || wanted.length === 0) return null
  const [chosen] = wanted
  const built = JSON.parse(row.format) as unknown
  const format = named === 'named' && chosen ? fill(built, chosen) : forTools(built, wanted)
  return { type: 'structural_tag', format }
}

function readRow(row: string): Row {
  const [model = '', choice = '', thought] = row.split(' ', 3)
  const prefix = `${model} ${choice} ${thought ?? ''} `
  return { model, choice, reasoning: thought === 'thinking', format: row.slice(prefix.length) }
}

function forTools(value: unknown, tools: readonly GrammarTool[]): unknown {
  if (Array.isArray(value))
    return value.flatMap((one: unknown) =>
      isSchema(one) && 'each_tool' in one ? tools.map((tool) => fill(one['each_tool'], tool)) : [forTools(one, tools)],
    )
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
