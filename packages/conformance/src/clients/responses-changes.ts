import { LOST_RESPONSES, READABLE_RESPONSES } from './broken-responses.ts'
import type { Json, JsonMap, StreamEvent } from './client-stream.ts'
import { withValue } from './client-stream.ts'
import { changing, is, isAdded, isEnd } from './responses-events.ts'
import type { Changed, Draft, StreamChange } from './stream-change.ts'
import {
  FRAMING_CHANGES,
  has,
  ifItems,
  inserted,
  mapped,
  memberOf,
  sound,
  withMember,
  without,
} from './stream-change.ts'
import { typedEvent } from './write-messages.ts'
import { responseOf } from './write-responses.ts'

/** The events of all items between the first and the last, those of a kind in turn. */
function interleaved({ events }: Draft): Changed {
  const [first, end] = [events.findIndex(isAdded), events.findIndex(isEnd)]
  const inside = events.slice(first, end)
  const rounds = new Map<Json | undefined, number>()
  const turns = inside
    .filter((event) => !isAdded(event))
    .map((event) => {
      const index = memberOf(event, ['output_index'])
      const round = rounds.get(index) ?? 0
      rounds.set(index, round + 1)
      return { event, round }
    })
  const others = turns.toSorted((one, other) => one.round - other.round).map(({ event }) => event)
  return { events: [...events.slice(0, first), ...inside.filter(isAdded), ...others, ...events.slice(end)] }
}

/** Reasoning as its own text, in place of a summary. */
function asReasoningText(event: StreamEvent): StreamEvent {
  if ('raw' in event) return event
  const text = JSON.stringify(event.data)
  if (!text.includes('summary')) return event
  const data = JSON.parse(
    text
      .replaceAll('reasoning_summary_part', 'content_part')
      .replaceAll('reasoning_summary_text', 'reasoning_text')
      .replaceAll('summary_index', 'content_index')
      .replaceAll('summary_text', 'reasoning_text')
      .replaceAll('"summary":[]', '"summary":[],"content":[]')
      .replaceAll(/"summary":\[\{/g, '"summary":[],"content":[{'),
  ) as JsonMap
  return { name: String(data['type']), data }
}

const SOUND: readonly StreamChange[] = [
  sound('interleaved-items', 'events of several items in turn', changing(ifItems({ items: 2 }, interleaved))),
  sound(
    'empty-deltas',
    'empty texts and arguments',
    changing((draft) =>
      mapped(draft, (event) => (has(['delta'])(event) ? [event, withMember(event, ['delta'], '')] : event)),
    ),
  ),
  sound(
    'reasoning-text',
    'reasoning as text, not as a summary',
    changing((draft) => mapped(draft, asReasoningText)),
  ),
  sound(
    'no-in-progress',
    'no response.in_progress',
    changing((draft) => without(draft, draft.events.findIndex(is('in_progress')))),
  ),
  sound(
    'queued',
    'response.queued before the rest',
    changing((draft) =>
      inserted(draft, 1, [typedEvent('response.queued', { response: responseOf({ status: 'queued' }) })]),
    ),
  ),
  sound('no-optional-members', 'no logprobs, annotations, metadata, name in arguments.done', (draft) =>
    mapped(draft, (event) => ('raw' in event ? event : { ...event, data: leaner(event.data) })),
  ),
  sound('bare-response', 'responses with id, status and output alone', (draft) =>
    mapped(draft, (event) => {
      const response = memberOf(event, ['response'])
      if (typeof response !== 'object' || response === null || Array.isArray(response)) return event
      const kept = Object.entries(response).filter(([member]) => BARE.has(member))
      return withMember(event, ['response'], Object.fromEntries(kept))
    }),
  ),
  sound(
    'unknown-events',
    'events that the API does not have',
    changing((draft) =>
      mapped(draft, (event) =>
        has(['delta'])(event) ? [event, typedEvent('response.model_stats.delta', { speed: 1 })] : event,
      ),
    ),
  ),
  sound('unknown-members', 'members that the API does not have', (draft) =>
    mapped(draft, (event) => withMember(withMember(event, ['provider'], 'x'), ['item', 'provider'], 'x')),
  ),
  sound('done', '[DONE] at the end', (draft) => inserted(draft, draft.events.length, [{ raw: 'data: [DONE]\n\n' }])),
]

const BARE: ReadonlySet<string> = new Set([
  'id',
  'object',
  'created_at',
  'model',
  'status',
  'output',
  'usage',
  'incomplete_details',
  'error',
])

function leaner(data: JsonMap): JsonMap {
  const isCallDone = data['type'] === 'response.function_call_arguments.done'
  const text = JSON.stringify(isCallDone ? withValue(data, ['name'], undefined) : data)
  const bare = text.replaceAll(/,"(?:logprobs|annotations)":\[\]/g, '').replaceAll(',"metadata":{}', '')
  return JSON.parse(bare) as JsonMap
}

/** What is changed in streams of `/v1/responses`. */
export const RESPONSES_CHANGES: readonly StreamChange[] = [
  ...FRAMING_CHANGES,
  ...SOUND,
  ...READABLE_RESPONSES,
  ...LOST_RESPONSES,
]
