import { existsSync, readFileSync } from 'node:fs'
import { isDict, loads, toPlain } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import { describe, expect, it } from 'vitest'
import type { Api, ApiRequest } from '../src/index.ts'
import { APIS, readRequest, writeRequest } from '../src/index.ts'

const FILE = new URL('../../../../shared/vectors/apis/requests.jsonl', import.meta.url)
const isThere = existsSync(FILE)

interface Line {
  readonly id: string
  readonly conversation: readonly Record<string, unknown>[]
}

const lines = isThere
  ? readFileSync(FILE, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((text) => ({ text, line: JSON.parse(text) as Line }))
  : []

const HEAD = { model: 'm', stream: false, others: new Map() }

function bodyOf(text: string, api: Api): PyDict {
  const line = loads(text)
  const body = isDict(line) ? line.get(api) : null
  if (!isDict(body)) throw new Error(`there is no body of ${api}`)
  return body
}

/** As the vectors write it: only what is said. */
function shown(request: ApiRequest, wanted: readonly Record<string, unknown>[]): unknown {
  const last = wanted.at(-1) ?? {}
  const others = Object.fromEntries(
    Object.keys(last).map((key): readonly [string, unknown] => {
      if (key === 'tools')
        return [
          key,
          request.tools.map(({ name, description, parameters }) => ({
            name,
            description,
            parameters: parameters === null ? null : toPlain(parameters),
          })),
        ]
      if (key === 'strict') return [key, request.tools.every(({ strict }) => strict)]
      if (key === 'choice') return [key, request.choice ?? 'auto']
      return [key, request[key as keyof ApiRequest]]
    }),
  )
  const messages = request.messages.map((message) =>
    Object.fromEntries(
      Object.entries(message)
        .filter(([, value]) => value !== '' && value !== false && !(Array.isArray(value) && value.length === 0))
        .map(([key, value]) => [key, key === 'images' ? (value as readonly string[]).length : value]),
    ),
  )
  return last['role'] === undefined ? [...messages, others] : messages
}

describe.skipIf(!isThere)('the public vectors (skipped without ../shared)', () => {
  it.each(lines.flatMap(({ line, text }) => APIS.map((api) => [line.id, api, text] as const)))(
    'reads %s in %s, and writes it in each API',
    (_, api, text) => {
      const { conversation } = JSON.parse(text) as Line
      const wanted = conversation.map((message) => (api === 'messages' ? message : { ...message, isError: undefined }))
      // Responses have no stop words.
      const without = wanted.map((each) => (api === 'responses' && 'stop' in each ? { ...each, stop: [] } : each))
      const request = readRequest(bodyOf(text, api), api)
      expect(shown(request, conversation)).toEqual(without)
      for (const other of APIS) {
        const again = readRequest(writeRequest(request, other, HEAD), other)
        const kept = { ...request, stop: other === 'responses' ? [] : request.stop }
        const limit = other === 'messages' ? (request.limit ?? 4096) : request.limit
        const messages = kept.messages.map((each) =>
          each.role === 'tool' && other !== 'messages' ? { ...each, isError: false } : each,
        )
        // Saying that one call is enough, messages must say a choice, too.
        const said = { ...again, choice: again.choice ?? 'auto' }
        expect(said).toEqual({ ...kept, messages, limit, choice: kept.choice ?? 'auto' })
      }
    },
  )
})
