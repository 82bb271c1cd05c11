import { RECORD_VERSION } from '../record/record-line.ts'
import type { RecordLine } from '../record/record-line.ts'
import { logOf } from './log-of.ts'
import type { ReadReply } from './read-reply.ts'

/** A recording of replies to one request, whole or streamed; of the request as much as a check has to know. */
export function recordingOf(replies: readonly ReadReply[], request: object): string {
  return replies.map(({ events, isStream }, at) => exchangeOf(at + 1, { events, isStream, request })).join('')
}

interface Told {
  readonly events: readonly unknown[]
  readonly isStream: boolean
  readonly request: object
}

function exchangeOf(id: number, { events, isStream, request }: Told): string {
  const asked = JSON.stringify(isStream ? { ...request, stream: true } : request)
  const body = isStream ? logOf(events) : (JSON.stringify(events[0]) ?? '')
  const type = isStream ? 'text/event-stream' : 'application/json'
  const from = { method: 'POST', path: '/v1/chat/completions', headers: {} }
  const lines: readonly (readonly [RecordLine, string?])[] = [
    [{ v: RECORD_VERSION, kind: 'request', id, time: EPOCH, at: 0, ...from, bytes: Buffer.byteLength(asked) }, asked],
    [{ kind: 'head', id, at: 0, status: 200, headers: { 'content-type': type } }],
    [{ kind: 'chunk', id, at: 0, bytes: Buffer.byteLength(body) }, body],
    [{ kind: 'end', id, at: 0, how: 'complete' }],
  ]
  return lines.map(([line, bytes]) => `${JSON.stringify(line)}\n${bytes === undefined ? '' : `${bytes}\n`}`).join('')
}

/** When it was does not matter, and a case that is made again should be the same. */
const EPOCH = new Date(0).toISOString()
