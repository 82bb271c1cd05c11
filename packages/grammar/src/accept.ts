import { startAcceptor } from './acceptor.ts'
import { type CompiledGrammar, compileRules } from './compile.ts'
import { readEbnf } from './ebnf.ts'
import { GrammarError, type Rules } from './expression.ts'
import { readRegex } from './regex.ts'
import { readStructuralTag } from './structural-tag.ts'

/** `structural_tag` is that of XGrammar; `ebnf` is the syntax of XGrammar's `grammar` format, `gbnf` that of llama.cpp, `regex` that of XGrammar. */
export const GRAMMAR_KINDS = ['structural_tag', 'gbnf', 'ebnf', 'regex'] as const

/** The syntax of a grammar, and with it the engine whose rules are followed. */
export type GrammarKind = (typeof GRAMMAR_KINDS)[number]

/** A grammar that is ready to accept texts, or one line that says what is wrong with it. */
export type GrammarResult =
  { readonly ok: true; readonly grammar: CompiledGrammar } | { readonly ok: false; readonly error: string }

/** Characters of a grammar that is read. */
export const MAX_GRAMMAR_LENGTH = 4_000_000

/**
 * Reads and compiles a grammar. A structural tag may be an object or its JSON; the others are texts. Never throws.
 */
export function compileGrammar(kind: GrammarKind, grammar: unknown): GrammarResult {
  try {
    const rules = readGrammar(kind, grammar)
    return { ok: true, grammar: compileRules(rules, kind === 'gbnf' ? 'characters' : 'bytes') }
  } catch (error) {
    if (error instanceof GrammarError) return { ok: false, error: error.message }
    // Deep nesting of a JavaScript value is found by the engine itself.
    if (error instanceof RangeError) return { ok: false, error: 'The grammar is nested too deep.' }
    throw error
  }
}

function readGrammar(kind: GrammarKind, grammar: unknown): Rules {
  if (typeof grammar === 'string' && grammar.length > MAX_GRAMMAR_LENGTH)
    throw new GrammarError(`The grammar has ${grammar.length} characters; at most ${MAX_GRAMMAR_LENGTH} are read.`)
  if (kind === 'structural_tag') return readStructuralTag(grammar)
  if (typeof grammar !== 'string') throw new GrammarError(`A grammar of the kind ${kind} must be a text.`)
  switch (kind) {
    case 'gbnf':
      return readEbnf(grammar, 'gbnf')
    case 'ebnf':
      return readEbnf(grammar, 'xgrammar')
    default:
      return { root: 'root', rules: new Map([['root', readRegex(grammar)]]) }
  }
}

/** Whether a whole text is accepted; if not, the byte that is refused, or that the text ends too early. */
export type GrammarVerdict =
  | { readonly accepted: true }
  | {
      readonly accepted: false
      readonly at: number
      readonly incomplete: boolean
      readonly expected: readonly string[]
      readonly error?: string
    }

/**
 * Compares a text with a grammar. `at` is an offset in bytes of UTF-8; `incomplete` texts are refused only because they end.
 * `error` says why nothing is known: the grammar has more readings of the text than are followed. Never throws.
 */
export function acceptText(grammar: CompiledGrammar, text: string | Uint8Array): GrammarVerdict {
  const acceptor = startAcceptor(grammar)
  const refusal = acceptor.feed(text)
  if (refusal) {
    const error = acceptor.hasTooManyReadings() ? { error: 'The grammar is too ambiguous for this text.' } : {}
    return { accepted: false, incomplete: false, ...refusal, ...error }
  }
  if (acceptor.mayEnd()) return { accepted: true }
  return { accepted: false, at: acceptor.offset(), incomplete: true, expected: acceptor.expected() }
}
