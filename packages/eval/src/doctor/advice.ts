import { parserNames } from '@callspec/core/identify'
import { alternatives, identifiedFrom } from '../reading/identify-text.ts'
import type { Failure } from '../trace/failure.ts'

/** Statuses of a server that takes no request as it is: other address, other key, other model. */
export const REFUSES_ALL: ReadonlySet<number> = new Set([301, 302, 303, 307, 308, 401, 402, 403, 404, 405])

/** Whether a server took a request and did not answer it within the time-out: it would not answer the next one either. */
export function hangs({ kind, status, message }: Failure): boolean {
  return kind === 'infra' && status === null && message.endsWith(' in time')
}

/** What to do about a server that hangs. */
export const HANGS =
  'Look at the log of the server: it accepts requests and does not answer them. If it only needs longer, raise --timeout.'

/** What to do about a server that does not take the key, or wants one. */
export const NEEDS_KEY = 'Put a key of this server into a variable, and name that with --api-key-env.'

/** Whether a status asks for another key. */
export function asksForKey(status: number | null): boolean {
  return status === 401 || status === 403
}

/** What to do about a server that points to another one; null for every other status. */
export function redirectAdvice(status: number | null): string | null {
  if (status === null || status < 300 || status >= 400) return null
  return 'Nothing is sent where a server points to. If that is the server you mean, give its address with --base-url.'
}

/** What to do about a server whose tool parser does not read its model. */
export const ANY_PARSER: string =
  'Give the server the tool parser of its model (vLLM: --enable-auto-tool-choice --tool-call-parser, with hermes for models ' +
  'that write <tool_call> and JSON), or leave the format native out.'

/** What to do about a server from which no call arrives, although it was to force one. */
export const NO_FORCED_CALL: string =
  'Look at what the model writes in the log of the server: it ignores tool_choice, or it drops the call. Is a tool parser switched ' +
  'on, the one of this model, and can it force calls?'

/** What to do about a reply of which more was counted than arrived, where nothing says what it was. */
export const LOST_TEXT: string =
  'Look at what the model writes in the log of the server. If it is a call, give the server the tool parser of its model ' +
  '(vLLM, SGLang: --tool-call-parser); if it is a thought, nothing.'

/** What is wrong, and what to change about it. */
export interface ParserAdvice {
  /** Null where no format reads the reply. */
  readonly says: string | null
  readonly whatToChange: string
}

/** What a reply says of the parser that did not read the call in it, which begins at `start`. */
export function adviseParser(text: string, start = 0): ParserAdvice {
  const formats = identifiedFrom(text, start)
  if (formats.length === 0) return { says: null, whatToChange: ANY_PARSER }
  return {
    says: `the parser of this server does not match: the replies are ${alternatives(formats)}`,
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
