import { callsOf } from '@callspec/core'
import type { CallItem, Format, Reply } from '@callspec/core'
import { isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { plural } from '@callspec/eval/plural'
import { quoted } from '../../terminal.ts'
import { sameValue } from './same-value.ts'
import type { DiffProbe } from '../diff/diff-probes.ts'
import { historyReply } from './history-reply.ts'
import type { HistoryReply, RenderMessages } from './history-reply.ts'
import { argumentsOf, callsOfMessage, functionOf, messagesWithCalls, toolOfCall } from './message-calls.ts'

/** One way in which a format reads the calls of a template otherwise than they were meant. */
export interface CallDeviation {
  readonly id: 'call-not-read' | 'call-invented' | 'call-altered' | 'id-altered' | 'text-lost' | 'reader-issue'
  readonly probe: string
  /** What happens, in one line. */
  readonly detail: string
  /** What the template wrote. */
  readonly reply: string
}

/** What came of reading the calls of a template's history. */
export interface CallCheck {
  /** Messages with calls that the template wrote. */
  readonly read: number
  readonly deviations: readonly CallDeviation[]
}

/** Reads back what the template writes for each message with calls. */
export async function checkCalls(
  format: Format,
  probes: readonly DiffProbe[],
  renderFor: (probe: DiffProbe) => RenderMessages,
): Promise<CallCheck> {
  const deviations: CallDeviation[] = []
  let read = 0
  for (const probe of probes) {
    const messages = probe.variables.get('messages') ?? []
    if (!isList(messages)) continue
    for (const index of messagesWithCalls(messages)) {
      const reply = await historyReply({ messages, index, format }, renderFor(probe))
      if (reply === null) continue
      read += 1
      deviations.push(...deviationsOf(reply, { format, probe, message: messages[index] ?? null }))
    }
  }
  return { read, deviations }
}

interface Wanted {
  readonly format: Format
  readonly probe: DiffProbe
  readonly message: PyValue
}

function deviationsOf(written: HistoryReply, { format, probe, message }: Wanted): readonly CallDeviation[] {
  const wanted = callsOfMessage(message)
  const reply = format.read(written.text, {
    thoughtInContent: written.thoughtInContent,
    parallelCalls: true,
    tools: wanted.map(toolOfCall),
  })
  const found = [...callDeviations(wanted, { reply, format }), ...textDeviations(message, reply)]
  // An issue tells why; it is a deviation of its own only where all calls came through.
  const named = found.length > 0 ? found : issueDeviations(reply)
  return named.map(({ id, detail }) => ({ id, detail, probe: probe.id, reply: written.text }))
}

type Named = Pick<CallDeviation, 'id' | 'detail'>

function callDeviations(
  wanted: readonly PyDict[],
  { reply, format }: { readonly reply: Reply; readonly format: Format },
): readonly Named[] {
  const calls = callsOf(reply.items)
  if (calls.length < wanted.length) {
    const why = reply.items.flatMap((item) => (item.kind === 'issue' ? [`; ${item.code}`] : []))[0] ?? ''
    return [{ id: 'call-not-read', detail: `read: ${calls.length} of ${plural(wanted.length, 'call')}${why}` }]
  }
  if (calls.length > wanted.length)
    return [{ id: 'call-invented', detail: `${plural(calls.length, 'call')} read, ${wanted.length} made` }]
  return calls.flatMap((call, index) => callDeviation(wanted[index] ?? new Map(), call, format))
}

function callDeviation(wanted: PyDict, call: CallItem, { traits }: Format): readonly Named[] {
  const made = functionOf(wanted)
  if (made.name !== call.name || !sameValue(made.arguments, argumentsOf(call.arguments))) {
    return [{ id: 'call-altered', detail: `${quoted(call.name)} is read with ${quoted(call.arguments, 120)}` }]
  }
  const id = wanted.get('id') ?? null
  if (traits.ids && id !== null && call.id !== id)
    return [
      {
        id: 'id-altered',
        detail: `the id ${quoted(String(id))} is read as ${call.id === null ? 'none' : quoted(call.id)}`,
      },
    ]
  return []
}

function textDeviations(message: PyValue, { items }: Reply): readonly Named[] {
  const content = isDict(message) ? message.get('content') : null
  if (typeof content !== 'string' || content.trim() === '') return []
  const text = items.flatMap((item) => (item.kind === 'text' ? [item.text] : [])).join('')
  if (text.includes(content.trim())) return []
  return [{ id: 'text-lost', detail: `what was said beside the call is read as "${quoted(text)}"` }]
}

function issueDeviations({ items, error }: Reply): readonly Named[] {
  if (error !== null) return [{ id: 'reader-issue', detail: `the reference raises ${error.type}` }]
  return items.flatMap((item) =>
    item.kind === 'issue' && item.weight === 'harm'
      ? [{ id: 'reader-issue' as const, detail: `${item.code}: ${quoted(item.message, 120)}` }]
      : [],
  )
}
