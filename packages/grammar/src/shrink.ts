import type { SampleReply } from './sample-calls.ts'

const MAX_TRIES = 2000

/** The smallest reply that still fails: calls, arguments, text and thought are dropped, values made plain. */
export function shrinkReply(reply: SampleReply, fails: (reply: SampleReply) => boolean): SampleReply {
  let best = reply
  let tries = 0
  for (let again = true; again;) {
    again = false
    for (const smaller of smallerReplies(best)) {
      tries += 1
      if (tries > MAX_TRIES) return best
      if (!fails(smaller)) continue
      best = smaller
      again = true
      break
    }
  }
  return best
}

function* smallerReplies(reply: SampleReply): Generator<SampleReply> {
  if (reply.thought !== null) yield { ...reply, thought: null }
  if (reply.text !== null) yield { ...reply, text: null }
  for (const [index, call] of reply.calls.entries()) {
    const others = reply.calls.filter((_, at) => at !== index)
    if (others.length > 0 || reply.text !== null) yield { ...reply, calls: others }
    for (const [name, value] of Object.entries(call.arguments)) {
      const { [name]: _, ...rest } = call.arguments
      yield { ...reply, calls: reply.calls.with(index, { ...call, arguments: rest }) }
      for (const plain of plainer(value))
        yield { ...reply, calls: reply.calls.with(index, { ...call, arguments: { ...call.arguments, [name]: plain } }) }
    }
  }
}

function plainer(value: unknown): readonly unknown[] {
  if (typeof value === 'string') {
    const chars = [...value]
    return value === '' ? [] : ['', ...chars.map((_, index) => chars.toSpliced(index, 1).join(''))]
  }
  if (typeof value === 'number') return value === 0 ? [] : [0]
  if (Array.isArray(value)) return value.map((_, index) => value.toSpliced(index, 1) as unknown)
  if (typeof value !== 'object' || value === null) return []
  return Object.keys(value).map((name) => Object.fromEntries(Object.entries(value).filter(([key]) => key !== name)))
}

/** The smallest text that still fails: pieces of it are left out, long ones first. */
export function shrinkText(text: string, fails: (text: string) => boolean): string {
  let best = [...text]
  let tries = 0
  for (let size = Math.ceil(best.length / 2); size >= 1;) {
    let isSmaller = false
    for (let at = 0; at + size <= best.length; at += 1) {
      const without = best.toSpliced(at, size)
      tries += 1
      if (tries > MAX_TRIES) return best.join('')
      if (!fails(without.join(''))) continue
      best = without
      isSmaller = true
      at -= 1
    }
    if (!isSmaller || size > best.length) size = size === 1 ? 0 : Math.ceil(Math.min(size, best.length + 1) / 2)
    if (size === 1 && best.length === 0) break
  }
  return best.join('')
}
