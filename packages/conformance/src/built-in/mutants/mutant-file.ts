import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { InputError } from '@callspec/core'
import type { PyDict } from '@callspec/python'
import { loads } from '@callspec/python'
import { ownFile } from '../../own-files.ts'

/** A piece of a table of states that is put in another way, or left out. */
export interface GrammarPatch {
  /** The members that lead there: `["states", "value", "until"]`. */
  readonly at: readonly string[]
  /** The replacement. Absent: nothing. */
  readonly put?: unknown
}

/** A text that is replaced before the right parser sees it; `find` is a regular expression. */
export interface TextPatch {
  readonly find: string
  readonly flags?: string
  readonly with: string
}

/** One mistake, by the place where it is made. The names are those of functions in this folder. */
export type Bug =
  | { readonly grammar: readonly GrammarPatch[] }
  | { readonly text: readonly TextPatch[] }
  | { readonly values: string }
  | { readonly names: string }
  | { readonly items: string; readonly where?: string }
  | { readonly arguments: string }
  | { readonly chunks: string }
  | { readonly deltas: string }
  | { readonly work: string }

/** A parser with one mistake, as `mutants/<format>.json` describes it. */
export interface MutantSpec {
  /** `<format>/<what it does>`; never changed, never removed. */
  readonly id: string
  readonly format: string
  /** What it does wrongly. */
  readonly about: string
  /** Rows of the list of real problems. */
  readonly pains: readonly number[]
  /** The class of mistakes that was found in released engines of 2026; absent where it was not. */
  readonly released?: string
  readonly bug: Bug
  /** A question on which it differs from the right parser; with `chunks` it is one about a stream. */
  readonly differs: {
    readonly text: string
    readonly chunks?: readonly string[]
    readonly input?: { readonly [member: string]: unknown }
  }
}

const MUTANT_FOLDER = ownFile('mutants')

/**
 * The mutants that come with this package, in the order of their formats.
 *
 * @throws InputError naming the file that is not a list of mutants
 */
export function readMutants(folder: string = MUTANT_FOLDER): readonly MutantSpec[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((name) => mutantsIn(join(folder, name)))
}

function mutantsIn(file: string): readonly MutantSpec[] {
  const { format, mutants } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly format?: string
    readonly mutants?: readonly MutantSpec[]
  }
  if (format === undefined || mutants === undefined)
    throw new InputError(file, 'has no "format" and "mutants". See the README of this folder.')
  return mutants.map((each) => ({ ...each, format }))
}

/** The question on which a mutant differs, as an operation is asked it. */
export function mutantInput({ text, chunks, input = {} }: MutantSpec['differs']): PyDict {
  // Through JSON, so that numbers are as a case has them.
  const given = chunks === undefined ? { text, ...input } : { chunks, ...input }
  return loads(JSON.stringify(given)) as PyDict
}
