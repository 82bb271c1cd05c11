import type { EvalAborted, PlayedEpisode } from '@callspec/eval'
import { quoted } from '../terminal.ts'
import { hasKey, type Endpoint } from './endpoint.ts'

/** Episodes that ended on the way to the server, and what was heard most often. */
export interface FailedRequests {
  readonly episodes: number
  readonly message: string
}

/** What failed on the way to the server; null where nothing did. */
export function failedRequests(episodes: readonly PlayedEpisode[]): FailedRequests | null {
  const broken = episodes.filter(({ score }) => score.end === 'infra_error')
  const heard = new Map<string, number>()
  for (const { trace } of broken) {
    const message = trace.turns.at(-1)?.failure?.message ?? 'no reply'
    heard.set(message, (heard.get(message) ?? 0) + 1)
  }
  const [most] = [...heard].toSorted(([, one], [, other]) => other - one)
  return most === undefined ? null : { episodes: broken.length, message: most[0] }
}

/** The same as a sentence that says what to do. `of` is how many episodes were played. */
export function failedRequestsText({ episodes, message }: FailedRequests, endpoint: Endpoint, of: number): string {
  const where = endpoint.kind === 'simulated' ? 'the simulated models' : endpoint.baseUrl
  return `${episodes} of ${of} episodes failed on the way to ${where}: ${quoted(message, 160)}. ${hintOn(message)}`
}

function hintOn(message: string): string {
  if (message.endsWith('in time')) return '--timeout SECONDS gives it longer.'
  if (message.startsWith('429 ')) return 'Fewer at a time: -j 1; more patience: --max-retries N.'
  if (/^5\d\d /.test(message)) return 'Is the server well? More patience: --max-retries N.'
  return 'Is it an OpenAI-compatible server, and does the address end in /v1?'
}

/** Why a run was given up at once, with what to do. */
export function abortText({ failure }: EvalAborted, endpoint: Endpoint, models: readonly string[]): string {
  const url = endpoint.kind === 'simulated' ? 'the server of the simulated models' : endpoint.baseUrl
  if (failure.kind === 'unreachable') return `${url} ${failure.message}`
  const hint =
    failure.status === 404
      ? `Is "${models.join('", "')}" the right model, and does the address end in /v1?`
      : hasKey(endpoint)
        ? 'Is OPENAI_API_KEY the right key?'
        : 'Does the server want a key? Set OPENAI_API_KEY.'
  return `${url} refuses every request (${failure.message}). ${hint}`
}
