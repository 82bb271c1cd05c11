import { formatNamed } from '@callspec/core'
import { compileGrammar } from './accept.ts'
import type { GrammarResult } from './accept.ts'
import type { GrammarCheck } from './check.ts'
import { checkGrammar } from './check.ts'
import type { GrammarTool } from './sample-calls.ts'
import type { ShippedRow } from './shipped.ts'
import { isSchema } from './schema-values.ts'
import { shippedFormats, shippedGrammar, shippedTools } from './shipped.ts'
import type { TemplateWriter } from './template-texts.ts'
import { triggerSearch } from './trigger.ts'

/** A row, and its check, or why it cannot be checked. */
export type ShippedCheck = { readonly row: ShippedRow; readonly check: GrammarCheck | string }

/** Compares a shipped grammar with the writer and the reader of its format. */
export function checkShipped(
  row: ShippedRow,
  { tools = shippedTools(), walks }: { readonly tools?: readonly GrammarTool[]; readonly walks: number },
): ShippedCheck {
  const format = row.format === null ? null : formatNamed(row.format)
  if (format === null) return { row, check: 'no format of callspec' }
  const choice = row.choice === 'named' ? { name: tools[0]?.name ?? '' } : row.choice
  const grammar = shippedGrammar(row, { tools, choice })
  if (grammar === null) return { row, check: 'known for other tools only' }
  const compiled = compileShipped(row, grammar)
  if (!compiled.ok) return { row, check: compiled.error }
  const opened = row.kind === 'gbnf' ? undefined : shippedFormats().opened[format.id]
  const template: TemplateWriter | null = opened === undefined ? null : { write: () => null, prompt: opened }
  const check = checkGrammar({
    ...{ grammar: compiled.grammar, format, tools, choice, template, walks },
    ...{ parallel: row.choice !== 'named', reasoning: row.thinking === true },
    startOf: row.lazy ? triggerSearch(row.triggers) : null,
    before: row.before,
  })
  return { row, check }
}

/** Compiles a tag as the xgrammar of its engine reads it: since 0.2.8 the flag `string` of DeepSeek's elements follows from the type. */
export function compileShipped({ kind, xgrammar }: ShippedRow, grammar: unknown): GrammarResult {
  const isNew = xgrammar !== null && !/^0\.2\.[0-7]$/.test(xgrammar)
  return compileGrammar(kind, isNew ? withNewStyles(grammar) : grammar)
}

function withNewStyles(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNewStyles)
  if (!isSchema(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      key === 'style' && one === 'deepseek_xml'
        ? 'deepseek_xml@0.2.8'
        : key === 'json_schema'
          ? one
          : withNewStyles(one),
    ]),
  )
}
