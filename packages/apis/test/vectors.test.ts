import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Api } from '../src/index.ts'
import { readReply } from '../src/index.ts'

const FOLDER = new URL('../../../../shared/vectors/apis/', import.meta.url)
const isThere = existsSync(FOLDER)

interface Line {
  readonly id: string
  readonly api: Api
  readonly body?: unknown
  readonly sse?: string
  readonly breaks?: readonly string[]
  readonly expect?: { readonly items: readonly unknown[]; readonly finish: string; readonly usage: unknown }
}

const linesOf = (name: string): readonly Line[] =>
  isThere
    ? readFileSync(new URL(name, FOLDER), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Line)
    : []

const read = ({ api, sse, body }: Line): ReturnType<typeof readReply> =>
  readReply(sse ?? JSON.stringify(body), api, { holdsCall: (text) => text.includes('<tool_call>') })

// Arguments of messages are values: their spelling is the reader's.
const spelled = (items: readonly unknown[]): unknown =>
  items.map((item) => {
    const call = item as { readonly kind: string; readonly arguments: string }
    return call.kind === 'call' ? { ...call, arguments: parsed(call.arguments) } : call
  })

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

describe.skipIf(!isThere)('the public vectors (skipped without ../shared)', () => {
  it.each(linesOf('replies.jsonl').map((line) => [line.id, line] as const))('reads %s', (_, line) => {
    const { items, finish, usage, breaches, error } = read(line)
    const wanted = line.expect
    expect(breaches).toEqual([])
    expect(error).toBeNull()
    expect({ items: line.api === 'messages' ? spelled(items) : items, finish, usage }).toEqual({
      ...wanted,
      items: line.api === 'messages' ? spelled(wanted?.items ?? []) : wanted?.items,
    })
  })

  it.each(linesOf('broken.jsonl').map((line) => [line.id, line] as const))('judges %s', (_, line) => {
    expect(read(line).breaches.map(({ law }) => law)).toEqual(line.breaks)
  })
})
