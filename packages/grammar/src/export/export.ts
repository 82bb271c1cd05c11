import type { Format } from '@callspec/core'
import { type GrammarResult, compileGrammar } from '../accept.ts'
import type { CompiledGrammar } from '../compile.ts'
import { GrammarError } from '../expression.ts'
import type { GrammarTool } from '../sample-calls.ts'
import { readStructuralTag } from '../structural-tag.ts'
import { GBNF_STYLE, LARK_STYLE } from './ebnf-style.ts'
import { type ExportLoss, exportLosses } from './losses.ts'
import { printEbnf } from './print-ebnf.ts'
import { type ReplyUse, replyTag } from './reply-tag.ts'
import type { TagFormat } from './tag-parts.ts'

/** The syntax of an export. */
export const EXPORT_SYNTAXES = ['structural-tag', 'gbnf', 'lark'] as const

/** One of them. */
export type ExportSyntax = (typeof EXPORT_SYNTAXES)[number]

/** An engine that exports were compiled by and compared with. */
export type ExportTarget = {
  readonly name: string
  readonly syntax: ExportSyntax
  /** The engine inside that reads the grammar. */
  readonly engine: string
}

/**
 * The engines for which exports are made. vLLM and SGLang hand structural tags to the release of xgrammar that they pin (read in the
 * metadata of their packages).
 */
export const EXPORT_TARGETS: readonly ExportTarget[] = [
  { name: 'xgrammar@0.2.5', syntax: 'structural-tag', engine: 'xgrammar@0.2.5' },
  { name: 'xgrammar@0.2.6', syntax: 'structural-tag', engine: 'xgrammar@0.2.6' },
  { name: 'xgrammar@0.2.7', syntax: 'structural-tag', engine: 'xgrammar@0.2.7' },
  { name: 'xgrammar@0.2.8', syntax: 'structural-tag', engine: 'xgrammar@0.2.8' },
  { name: 'xgrammar@0.2.9', syntax: 'structural-tag', engine: 'xgrammar@0.2.9' },
  { name: 'vllm@0.33.0', syntax: 'structural-tag', engine: 'xgrammar@0.2.8' },
  { name: 'vllm@0.32.0', syntax: 'structural-tag', engine: 'xgrammar@0.2.8' },
  { name: 'sglang@0.5.23', syntax: 'structural-tag', engine: 'xgrammar@0.2.7' },
  { name: 'sglang@0.5.22', syntax: 'structural-tag', engine: 'xgrammar@0.2.7' },
  { name: 'llama.cpp@v0.5.0', syntax: 'gbnf', engine: 'llama.cpp@v0.5.0' },
  { name: 'llguidance@1.9.1', syntax: 'lark', engine: 'llguidance@1.9.1' },
]

/** What an export is for. `choice` is the `tool_choice` of a request; an object demands a call of that tool. */
export type ExportRequest = ReplyUse & { readonly syntax: ExportSyntax }

/** A grammar for an engine: a structural tag as an object, GBNF and Lark as a text; with what it cannot say. */
export type GrammarExport =
  | { readonly ok: true; readonly grammar: object | string; readonly losses: readonly ExportLoss[] }
  | { readonly ok: false; readonly error: string }

/**
 * Makes the grammar of all replies that a format, tools and a choice allow. Its bytes are those of the format's writer. With `reasoning`
 * replies begin inside a thought that the prompt has opened, where prompts of the format do that. Never throws; what no grammar can say is
 * an error or a loss.
 */
export function exportGrammar(format: Format, request: ExportRequest): GrammarExport {
  try {
    const { tag, unenforced, spelling } = replyTag(format, request)
    const grammar = inSyntax(tag, request.syntax)
    const compiled = compiledIn(tag, request.syntax)
    if (!compiled.ok) return compiled
    const grammarFor = (tools: readonly GrammarTool[]): CompiledGrammar | null => {
      const small = compiledIn(replyTag(format, { ...request, tools }).tag, request.syntax)
      return small.ok ? small.grammar : null
    }
    return { ok: true, grammar, losses: exportLosses({ ...request, format, spelling, unenforced, grammarFor }) }
  } catch (error) {
    if (error instanceof GrammarError) return { ok: false, error: error.message }
    if (error instanceof RangeError) return { ok: false, error: 'A schema is nested too deep.' }
    throw error
  }
}

function inSyntax(tag: TagFormat, syntax: ExportSyntax): object | string {
  const whole = { type: 'structural_tag', format: tag }
  if (syntax === 'structural-tag') return whole
  return printEbnf(readStructuralTag(whole), syntax === 'gbnf' ? GBNF_STYLE : LARK_STYLE)
}

// The acceptor reads no Lark, whose rules are those of GBNF.
function compiledIn(tag: TagFormat, syntax: ExportSyntax): GrammarResult {
  if (syntax === 'structural-tag') return compileGrammar('structural_tag', inSyntax(tag, syntax))
  return compileGrammar('gbnf', inSyntax(tag, 'gbnf'))
}
