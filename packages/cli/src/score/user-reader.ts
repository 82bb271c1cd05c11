import { outputReader } from '@callspec/eval'
import type { OutputReader, ReadOutput } from '@callspec/eval'
import { loads, loadsJson5 } from '@callspec/python/outcome'
import type { ParseOutcome } from '@callspec/core/qwen-agent'
import type { ModuleFormat } from '../formats.ts'
import { readWithModule } from '../parse/parse-text.ts'
import type { ParseSettings } from '../parse/parse-text.ts'
import { ThrownError } from '../render/user-format.ts'
import { UsageError } from '../usage-error.ts'

/** What was said about a text around a call, not about the call. */
const HARMLESS: ReadonlySet<string> = new Set(['text-after-call-dropped', 'partial-stop-word'])

const SETTINGS: ParseSettings = {
  parallelCalls: true,
  functionChoice: 'auto',
  codeMode: false,
  thoughtInContent: false,
  stops: true,
  stopWords: [],
  rawArguments: false,
  tools: [],
}

/**
 * Reads recorded outputs with a format of the user. Strict: it parses without an issue that touches a call; parse: it
 * parses and finds a call. An exception of the user's code is a failure of that row.
 *
 * @throws UsageError for a format that can only render
 */
export function userReader(chosen: ModuleFormat): OutputReader {
  const { format, path } = chosen
  if (format.parse === undefined)
    throw new UsageError(`${path}: format "${format.id}" has no "parse"; it can only render.`)
  const native = outputReader('native')
  return {
    accepts: (name) => name.toLowerCase() === format.id.toLowerCase(),
    read: async (text, reply) => {
      // What a server has read already, the module cannot find in the text.
      if (reply !== undefined && reply.toolCalls.length > 0) return native.read(text, reply)
      try {
        return judged(await readWithModule(chosen, text, SETTINGS))
      } catch (error) {
        if (!(error instanceof ThrownError)) throw error
        return failed(`parse threw ${error.thrown}`)
      }
    },
  }
}

function judged(outcome: ParseOutcome): ReadOutput {
  if (outcome.kind === 'rejected') return failed(codeOf(outcome.issue))
  const codes = outcome.issues.map(codeOf).filter((code) => !HARMLESS.has(code))
  const calls = callsIn(outcome.messages)
  const names = calls.map(({ name }) => name)
  const [problem = null] = codes
  if (names.length === 0) {
    return problem === null
      ? { strict: 'final_answer', lenient: 'final_answer', problem, repairs: [], names }
      : failed(problem)
  }
  if (calls.some((call) => isBroken(call.arguments)))
    return {
      strict: 'malformed',
      lenient: 'malformed',
      problem: problem ?? 'arguments are cut off',
      repairs: [],
      names,
    }
  if (problem === null) return { strict: 'well_formed', lenient: 'well_formed', problem, repairs: [], names }
  return { strict: 'malformed', lenient: 'recovered', problem, repairs: [...new Set(codes)], names }
}

function failed(problem: string): ReadOutput {
  return { strict: 'malformed', lenient: 'malformed', problem, repairs: [], names: [] }
}

/** Nobody has checked what a module of the user puts into its issues. */
function codeOf(issue: { readonly code?: unknown } | null | undefined): string {
  return typeof issue?.code === 'string' ? issue.code : 'an issue without a code'
}

interface FoundCall {
  readonly name: string
  readonly arguments: string
}

/** The calls of messages that a module made; nothing has checked their form. */
function callsIn(messages: readonly unknown[]): readonly FoundCall[] {
  return messages.flatMap((message) => {
    const call =
      typeof message === 'object' && message !== null && 'function_call' in message ? message.function_call : null
    if (typeof call !== 'object' || call === null) return []
    const text = (key: string): string => {
      const value = (call as Readonly<Record<string, unknown>>)[key]
      return typeof value === 'string' ? value : ''
    }
    return [{ name: text('name'), arguments: text('arguments') }]
  })
}

/** Whether arguments begin as an object and cannot be read as one: they break off. Others may be free text, such as a program. */
function isBroken(text: string): boolean {
  return /^\s*\{/.test(text) && loads(text).kind === 'raised' && loadsJson5(text).kind === 'raised'
}
