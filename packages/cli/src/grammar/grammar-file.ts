import { compileGrammar, GRAMMAR_KINDS, triggerSearch } from '@callspec/grammar'
import type { CompiledGrammar, GrammarKind } from '@callspec/grammar'
import type { Invocation } from '../command.ts'
import { readSource } from '../input-file.ts'
import { messageOf, UsageError } from '../usage-error.ts'

/** A grammar as an engine uses it. */
export interface GrammarFile {
  readonly name: string
  readonly kind: GrammarKind
  /** The structural tag, or the text of the grammar. */
  readonly value: unknown
  readonly compiled: CompiledGrammar
  /** Where in a reply the grammar starts to hold; null: at its first character. The function returns null where it never does. */
  readonly startOf: ((text: string) => number | null) | null
  /** The generation prompt, for a grammar that begins with it. */
  readonly before: string
}

/**
 * Reads a grammar from a file. JSON is a structural tag, or an object with `kind` and `grammar`; of llama.cpp's grammars also `lazy` with
 * `triggers` (`{"type": 1, "value": WORD}`, or type 2 with a pattern) and `before`. Any other text is GBNF, unless `--kind` says otherwise.
 *
 * @throws UsageError for a grammar that cannot be read
 */
export async function openGrammar(path: string, { options }: Invocation): Promise<GrammarFile> {
  const { name, text } = await readSource(path)
  const kind = GRAMMAR_KINDS.find((one) => one === options.text('kind'))
  const wrapped = kind === undefined && text.trimStart().startsWith('{') ? readJsonObject(text, name) : null
  if (wrapped !== null && 'grammar' in wrapped) return wrappedGrammar(name, wrapped)
  return compiledGrammar(name, { kind: kind ?? (wrapped === null ? 'gbnf' : 'structural_tag'), value: text })
}

/** @throws UsageError with the name of the source */
export function compiledGrammar(
  name: string,
  { kind, value }: { readonly kind: GrammarKind; readonly value: unknown },
): GrammarFile {
  const result = compileGrammar(kind, value)
  if (!result.ok) throw new UsageError(`${name}: ${result.error}`)
  return { name, kind, value, compiled: result.grammar, startOf: null, before: '' }
}

function readJsonObject(text: string, name: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>
  } catch {
    // Said below.
  }
  throw new UsageError(`${name}: begins with "{", but is not JSON. Give --kind for a grammar of another kind.`)
}

function wrappedGrammar(name: string, wrapped: Readonly<Record<string, unknown>>): GrammarFile {
  const kind = GRAMMAR_KINDS.find((one) => one === wrapped['kind'])
  if (kind === undefined) throw new UsageError(`${name}: "kind" must be one of ${GRAMMAR_KINDS.join(', ')}.`)
  const file = compiledGrammar(name, { kind, value: wrapped['grammar'] })
  const isLazy = wrapped['lazy'] === true
  const before = typeof wrapped['before'] === 'string' && !isLazy ? wrapped['before'] : ''
  return { ...file, before, startOf: isLazy ? searchOf(name, wrapped['triggers']) : null }
}

function searchOf(name: string, triggers: unknown): GrammarFile['startOf'] {
  try {
    return triggerSearch(triggers)
  } catch (error) {
    throw new UsageError(`${name}: ${messageOf(error)}`)
  }
}
