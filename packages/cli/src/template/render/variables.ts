import { isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import type { Options } from '../../command.ts'
import { readSource } from '../../source-text.ts'
import { quoted } from '../../terminal.ts'
import { UsageError } from '../../usage-error.ts'
import type { SpecialTokens } from '../source/template-source.ts'
import { readLossless } from './json-text.ts'

/** What the command line says about the variables of every rendering. */
export interface VariableSettings {
  /** From `--set` and `--no-generation-prompt`; they win over everything. */
  readonly forced: PyDict
  readonly now: Date
}

/** @throws UsageError for a `--set` that is no `NAME=JSON`, and for a `--now` that is no time */
export function variableSettings(options: Options): VariableSettings {
  const prompt = options.choice('generation-prompt')
  const given = options.list('set').map(settingOf)
  const forced = new Map(prompt === null ? given : [['add_generation_prompt', prompt], ...given])
  return { forced, now: nowFrom(options.text('now')) }
}

function settingOf(text: string): readonly [string, PyValue] {
  const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined)
    throw new UsageError(`--set "${quoted(text)}" is no NAME=JSON. Write --set enable_thinking=false.`)
  try {
    return [name, readLossless(value, `--set ${name}`)]
  } catch (error) {
    if (!(error instanceof UsageError) || !/^\w/.test(value)) throw error
    throw new UsageError(`${error.message} A text stands in double quotes: --set '${name}=${JSON.stringify(value)}'.`)
  }
}

/** A time without an offset is UTC, as what `strftime_now` shows. */
function nowFrom(text: string | null): Date {
  if (text === null) return new Date()
  const isTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/.test(text)
  const isBare = /T[^Z+-]*$/.test(text)
  const now = new Date(isBare ? `${text}Z` : text)
  if (isTime && !Number.isNaN(now.getTime())) return now
  throw new UsageError(`--now "${quoted(text)}" is no time. Write it as 2026-01-15T12:00:00Z.`)
}

/**
 * Reads the variables that a caller gives: an object, or a list, which is the messages.
 *
 * @throws UsageError for what is neither, with the file's name
 */
export async function readVariablesFile(path: string): Promise<PyDict> {
  const { name, text } = await readSource(path)
  const value = readLossless(text, name)
  if (isDict(value)) return value
  if (isList(value)) return new Map([['messages', value]])
  throw new UsageError(`${name}: neither an object of variables nor a list of messages.`)
}

/** The variables of one rendering; what is not given is as transformers sets it. */
export function allVariables(given: PyDict, { tokens, forced }: { tokens: SpecialTokens; forced: PyDict }): PyDict {
  return new Map<string, PyValue>([...DEFAULTS, ...Object.entries(tokens), ...given, ...forced])
}

const DEFAULTS: readonly (readonly [string, PyValue])[] = [
  ['tools', null],
  ['documents', null],
  ['add_generation_prompt', true],
]
