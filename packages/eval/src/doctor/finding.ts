import { parserNames } from '@callspec/core/identify'
import { alternatives, identifiedFrom } from '../reading/foreign-calls.ts'
import type { Failure } from '../trace/completion.ts'

/** The checks, in the order of the report. */
export const CHECKS = [
  'reachable',
  'model',
  'chat',
  'usage',
  'stream',
  'stop-words',
  'seed',
  'native-calls',
  'call-arguments',
  'call-ids',
  'call-prose',
  'call-markers',
  'raw-completions',
  'response-template',
] as const

/** Checks that a caller adds: `callspec doctor` lints the chat template, counts the tokens of markers in texts, and asks over three APIs. */
export const FURTHER_CHECKS = ['chat-template', 'text-tokens', 'api-chat', 'api-messages', 'api-responses'] as const

/** One of `CHECKS` and `FURTHER_CHECKS`. */
export type Check = (typeof CHECKS)[number] | (typeof FURTHER_CHECKS)[number]

/**
 * The result of one check.
 *
 * - `ok`: as an evaluation needs it
 * - `warn`: an evaluation works, with a limitation
 * - `fail`: something does not work
 * - `unknown`: the replies do not show it
 */
export interface Finding {
  readonly check: Check
  readonly verdict: 'ok' | 'warn' | 'fail' | 'unknown'
  /** On one line; may quote the server. */
  readonly evidence: string
  /** Null if there is nothing to do. */
  readonly whatToChange: string | null
}

export function finding(check: Check, verdict: Finding['verdict'], evidence: string, whatToChange?: string): Finding {
  return { check, verdict, evidence, whatToChange: whatToChange ?? null }
}

/** The result of one reply to a script. */
export type ScriptFinding = Omit<Finding, 'check'>

/** The results of one script, requested whole and as a stream. */
export interface ScriptRow {
  /** Id of one of `SCRIPTS`. */
  readonly script: string
  /** The API that was asked; absent: chat. */
  readonly api?: 'messages' | 'responses'
  readonly whole: ScriptFinding
  readonly streamed: ScriptFinding
}

/** The results of all probes of a model. */
export interface Examined {
  readonly findings: readonly Finding[]
  /** Null where no script was sent. */
  readonly scripts: readonly ScriptRow[] | null
  /** False where the server refused key, model or address at once, or never answered in time. */
  readonly isAsked: boolean
  /** The model's name in the replies; empty where they have none. */
  readonly served: string
}

/** Statuses that need another address, key or model: no other request can succeed. */
export const REFUSES_ALL: ReadonlySet<number> = new Set([301, 302, 303, 307, 308, 401, 402, 403, 404, 405])

/** Whether a server accepted a request and did not answer it within the time-out: it would not answer the next one either. */
export function hangs({ kind, status, message }: Failure): boolean {
  return kind === 'infra' && status === null && message.endsWith(' in time')
}

export const HANGS =
  'Look at the log of the server: it accepts requests and does not answer them. If it only needs longer, raise --timeout.'

/** For a server that refuses the key, or needs one. */
export const NEEDS_KEY = 'Put a key of this server into a variable, and name that with --api-key-env.'

export function asksForKey(status: number | null): boolean {
  return status === 401 || status === 403
}

/** For a redirect; null for every other status. */
export function redirectAdvice(status: number | null): string | null {
  if (status === null || status < 300 || status >= 400) return null
  return 'Redirects are not followed. If the target is the server you mean, give its address with --base-url.'
}

/** For a server whose tool parser cannot read its model. */
export const ANY_PARSER: string =
  'Give the server the tool parser of its model (vLLM: --enable-auto-tool-choice --tool-call-parser, with hermes for models ' +
  'that write <tool_call> and JSON), or leave the format native out.'

/** For a server from which no call arrives, although tool_choice asked for one. */
export const NO_FORCED_CALL: string =
  'The server ignores tool_choice, or it drops the call: its log shows what the model writes. Is the tool parser of this model ' +
  'enabled, and can it force calls?'

/** For a reply of which fewer characters arrived than its tokens need, where the lost part is unknown. */
export const LOST_TEXT: string =
  'The log of the server shows what the model writes. If it is a call, give the server the tool parser of its model ' +
  '(vLLM, SGLang: --tool-call-parser); if it is a thought, nothing.'

export interface ParserAdvice {
  /** Null if no format reads the reply. */
  readonly mismatch: string | null
  readonly whatToChange: string
}

/** The parser that would read the call in a reply, which begins at `start`. */
export function adviseParser(text: string, start = 0): ParserAdvice {
  const formats = identifiedFrom(text, start)
  if (formats.length === 0) return { mismatch: null, whatToChange: ANY_PARSER }
  return {
    mismatch: `the parser of this server does not match: the replies are ${alternatives(formats)}`,
    whatToChange: changeFor(formats),
  }
}

function changeFor(formats: readonly string[]): string {
  const first = (names: readonly (string | undefined)[]): readonly string[] => [
    ...new Set(names.filter((name) => name !== undefined)),
  ]
  const vllm = first(formats.map((id) => parserNames(id)?.vllm[0]))
  const sglang = first(formats.map((id) => parserNames(id)?.sglang[0]))
  const ways = [
    ...(vllm.length === 0 ? [] : [`vLLM: --enable-auto-tool-choice --tool-call-parser ${alternatives(vllm)}`]),
    ...(sglang.length === 0 ? [] : [`SGLang: --tool-call-parser ${alternatives(sglang)}`]),
  ]
  return ways.length === 0
    ? ANY_PARSER
    : `Give the server the tool parser of its model (${ways.join('; ')}), or leave the format native out.`
}
