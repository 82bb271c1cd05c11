import { outputReader } from '@callspec/eval/outputs'
import type { OutputReader, ReadOutput } from '@callspec/eval/outputs'
import { loads, loadsJson5 } from '@callspec/python/outcome'
import type { ParseOutcome } from '@callspec/core/qwen-agent'
import type { ModuleFormat } from '../formats.ts'
import { readWithModule, USUAL_SETTINGS } from '../parse/parse-text.ts'
import { ThrownError } from '../render/user-format.ts'
import { UsageError } from '../usage-error.ts'

/** Issues about text around a call, not about the call. */
const HARMLESS: ReadonlySet<string> = new Set(['text-after-call-dropped', 'partial-stop-word'])

/**
 * Reads recorded outputs with a user's format. Strict: parsed without an issue about a call; parse: parsed with a call. An exception
 * of the user's code fails that row.
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
      // Calls that a server has read are not in the text.
      if (reply !== undefined && reply.toolCalls.length > 0) return native.read(text, reply)
      try {
        return judgedOutcome(await readWithModule(chosen, text, USUAL_SETTINGS))
      } catch (error) {
        if (!(error instanceof ThrownError)) throw error
        return failedOutput(`parse threw ${error.thrown}`)
      }
    },
  }
}

function judgedOutcome(outcome: ParseOutcome): ReadOutput {
  if (outcome.kind === 'rejected') return failedOutput(codeOf(outcome.issue))
  const codes = outcome.issues.map(codeOf).filter((code) => !HARMLESS.has(code))
  const calls = messageCalls(outcome.messages)
  const names = calls.map(({ name }) => name)
  const [problem = null] = codes
  if (names.length === 0) {
    return problem === null
      ? { strict: 'final_answer', lenient: 'final_answer', problem, repairs: [], names }
      : failedOutput(problem)
  }
  if (calls.some((call) => isCutOff(call.arguments)))
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

function failedOutput(problem: string): ReadOutput {
  return { strict: 'malformed', lenient: 'malformed', problem, repairs: [], names: [] }
}

/** Issues of a user's module are not checked. */
function codeOf(issue: { readonly code?: unknown } | null | undefined): string {
  return typeof issue?.code === 'string' ? issue.code : 'an issue without a code'
}

interface FoundCall {
  readonly name: string
  readonly arguments: string
}

/** The calls of a module's messages, whose form is not checked. */
function messageCalls(messages: readonly unknown[]): readonly FoundCall[] {
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

/** Whether arguments begin as an object but are cut off. Others may be free text, such as a program. */
function isCutOff(text: string): boolean {
  return /^\s*\{/.test(text) && loads(text).kind === 'raised' && loadsJson5(text).kind === 'raised'
}
