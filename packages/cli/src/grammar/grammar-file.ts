import { compileGrammar, GRAMMAR_KINDS } from '@callspec/grammar'
import type { CompiledGrammar, GrammarKind } from '@callspec/grammar'
import type { Invocation } from '../command.ts'
import { readSource } from '../input-file.ts'
import { UsageError } from '../usage-error.ts'

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
  return { ...file, before, startOf: isLazy ? triggerSearch(name, wrapped['triggers']) : null }
}

function triggerSearch(name: string, triggers: unknown): (text: string) => number | null {
  const searches = (Array.isArray(triggers) ? (triggers as unknown[]) : []).map((trigger) => {
    const { type, value } = (trigger ?? {}) as Readonly<Record<string, unknown>>
    if (typeof value !== 'string' || (type !== 1 && type !== 2))
      throw new UsageError(`${name}: a trigger must be {"type": 1 or 2, "value": TEXT}: a word, or a pattern.`)
    return type === 1 ? (text: string) => text.indexOf(value) : patternSearch(name, value)
  })
  return (text) => {
    const found = searches.map((search) => search(text)).filter((at) => at !== -1)
    return found.length === 0 ? null : Math.min(...found)
  }
}

// From the first group of a pattern, or from its beginning.
function patternSearch(name: string, pattern: string): (text: string) => number {
  let compiled: RegExp
  try {
    compiled = new RegExp(pattern, 'd')
  } catch {
    throw new UsageError(`${name}: the trigger ${JSON.stringify(pattern.slice(0, 60))} is not a pattern.`)
  }
  return (text) => {
    const found = compiled.exec(text)
    return found === null ? -1 : (found.indices?.[1]?.[0] ?? found.index)
  }
}
