import type { Json, StreamEvent } from './client-stream.ts'
import type { Draft, StreamChange } from './stream-change.ts'
import {
  ifArguments,
  ifItems,
  unlessCut,
  brokenOff,
  cutJson,
  FRAMING_CHANGES,
  has,
  inserted,
  lost,
  mapped,
  memberOf,
  oneOf,
  piecesLost,
  placesOf,
  readable,
  setting,
  sound,
  withJson,
  withMember,
  without,
} from './stream-change.ts'
import { typedEvent } from './write-messages.ts'

const is =
  (type: string) =>
  (event: StreamEvent): boolean =>
    memberOf(event, ['type']) === type

const isMessageStart = is('message_start')
const isStart = is('content_block_start')
const isDelta = is('content_block_delta')
const isStop = is('content_block_stop')
const isMessageDelta = is('message_delta')
const isMessageStop = is('message_stop')
const BLOCK = ['content_block']
const isCall = (event: StreamEvent): boolean => memberOf(event, [...BLOCK, 'type']) === 'tool_use'
const PIECE = ['delta', 'partial_json']
const isPiece = (event: StreamEvent): boolean =>
  isDelta(event) && typeof memberOf(event, PIECE) === 'string' && memberOf(event, PIECE) !== ''
const REASON = ['delta', 'stop_reason']

const indexOf = (event: StreamEvent): Json | undefined => memberOf(event, ['index'])

/** The arguments of a call in a draft. */
function argumentsAt({ reply }: Draft, index: Json | undefined): string {
  const item = reply.items[Number(index)]
  return item?.kind === 'call' ? item.arguments : '{}'
}

const SOUND: readonly StreamChange[] = [
  sound('pings', 'pings between the events', (draft) =>
    mapped(draft, (event) => (isMessageStart(event) || isDelta(event) ? [event, typedEvent('ping')] : event)),
  ),
  sound('ping-first', 'a ping before message_start', (draft) => inserted(draft, 0, [typedEvent('ping')])),
  sound('empty-deltas', 'empty texts and arguments', (draft) =>
    mapped(draft, (event) => {
      const kind = ['text', 'thinking', 'partial_json'].find((member) => has(['delta', member])(event))
      return kind === undefined ? event : [event, withMember(event, ['delta', kind], '')]
    }),
  ),
  sound('no-empty-piece', 'no empty first piece of arguments', (draft) =>
    mapped(draft, (event) => (isDelta(event) && memberOf(event, PIECE) === '' ? [] : event)),
  ),
  sound('no-optional-members', 'no stop_sequence, cache counts, or signature in a start', (draft) =>
    mapped(draft, (event) => OPTIONAL.reduce<StreamEvent>((made, path) => withMember(made, path, undefined), event)),
  ),
  sound('unknown-events', 'events that the API does not have', (draft) =>
    mapped(draft, (event) => (isDelta(event) ? [event, typedEvent('model_stats', { speed: 1 })] : event)),
  ),
  sound('unknown-deltas', 'deltas that the API does not have', (draft) =>
    mapped(draft, (event) =>
      isDelta(event)
        ? [
            event,
            typedEvent('content_block_delta', { index: indexOf(event) ?? 0, delta: { type: 'mood_delta', mood: 'x' } }),
          ]
        : event,
    ),
  ),
  sound('unknown-members', 'members that the API does not have', (draft) =>
    mapped(draft, (event) => withMember(withMember(event, ['provider'], 'x'), ['delta', 'provider'], 'x')),
  ),
  sound(
    'input-usage-last',
    'the count of the input in message_delta, too',
    setting(['usage', 'input_tokens'], 20, isMessageDelta),
  ),
]

const OPTIONAL = [
  ...[
    ['message', 'stop_sequence'],
    ['delta', 'stop_sequence'],
    [...BLOCK, 'signature'],
  ],
  ...['cache_creation_input_tokens', 'cache_read_input_tokens'].map((member) => ['message', 'usage', member]),
]

const READABLE: readonly StreamChange[] = [
  readable('M1', 'no-message-start', 'no message_start', (draft) => without(draft, 0)),
  readable('M1', 'message-start-twice', 'two message_start', (draft) => inserted(draft, 1, draft.events.slice(0, 1))),
  readable(
    'M1',
    'stop-reason-in-start',
    'a stop reason in message_start',
    setting(['message', 'stop_reason'], 'end_turn', isMessageStart),
  ),
  readable('M2', 'no-text-start', 'no start of a text block', (draft) =>
    without(
      draft,
      draft.events.findIndex((event) => memberOf(event, [...BLOCK, 'type']) === 'text'),
    ),
  ),
  readable('M2', 'delta-before-start', 'a text delta before the start of its block', (draft) => {
    const at = draft.events.findIndex((event) => memberOf(event, [...BLOCK, 'type']) === 'text')
    const [start, delta] = [draft.events[at], draft.events[at + 1]]
    return start === undefined || delta === undefined || !isDelta(delta)
      ? null
      : { events: draft.events.toSpliced(at, 2, delta, start) }
  }),
  readable('M2', 'no-block-stop', 'no stop of the last block', (draft) =>
    without(draft, draft.events.findLastIndex(isStop)),
  ),
  readable('M2', 'block-stop-twice', 'two stops of a block', (draft) => {
    const at = draft.events.findLastIndex(isStop)
    return at < 0 ? null : inserted(draft, at, draft.events.slice(at, at + 1))
  }),
  readable(
    'M2',
    'index-from-1',
    'indices of blocks from 1',
    indexed((index) => index + 1),
  ),
  readable(
    'M2',
    'index-skips',
    'indices of blocks 0, 2, 4',
    ifItems(
      { items: 2 },
      indexed((index) => 2 * index),
    ),
  ),
  readable(
    'M2',
    'same-index',
    'the index 0 in all blocks',
    ifItems(
      { items: 2 },
      indexed(() => 0),
    ),
  ),
  readable('M2', 'no-index', 'no index of blocks', setting(['index'], undefined, has(['index']))),
  readable(
    'M3',
    'blocks-overlap',
    'a block that stops after the next has started',
    ifItems({ items: 2 }, (draft) => {
      const at = draft.events.findIndex(isStop)
      return {
        events: [
          ...draft.events.slice(0, at),
          ...draft.events.slice(at + 1, at + 2),
          ...draft.events.slice(at, at + 1),
          ...draft.events.slice(at + 2),
        ],
      }
    }),
  ),
  readable(
    'M3',
    'interleaved-blocks',
    'pieces of several open blocks in turn',
    ifItems({ items: 2 }, (draft) => {
      const { events } = draft
      const inside = [...events.filter(isDelta)]
      const turns = inside.map((event) => ({
        event,
        round: inside.filter((each) => indexOf(each) === indexOf(event)).indexOf(event),
      }))
      const first = events.findIndex(isStart)
      const deltas = turns.toSorted((one, other) => one.round - other.round).map(({ event }) => event)
      const end = events.findIndex(isMessageDelta)
      return {
        events: [
          ...events.slice(0, first),
          ...events.filter(isStart),
          ...deltas,
          ...events.filter(isStop),
          ...events.slice(end),
        ],
      }
    }),
  ),
  readable(
    'M5',
    'no-input-in-start',
    'no input in the start of a call',
    ifItems({ calls: 1 }, setting([...BLOCK, 'input'], undefined, isCall)),
  ),
  readable(
    'M5',
    'input-in-start',
    'the whole input in the start of a call, without deltas',
    ifArguments(
      unlessCut((draft) =>
        mapped(draft, (event) => {
          if (isDelta(event) && has(PIECE)(event)) return []
          return isCall(event) ? withJson(event, [...BLOCK, 'input'], argumentsAt(draft, indexOf(event))) : event
        }),
      ),
    ),
  ),
  readable('M7', 'no-signature', 'no signature of a thought', (draft) =>
    mapped(draft, (event) => (has(['delta', 'signature'])(event) ? [] : event)),
  ),
  readable(
    'M8',
    'block-after-message-delta',
    'the last block after message_delta',
    ifItems({ items: 2 }, (draft) => {
      const [at, end] = [draft.events.findLastIndex(isStart), draft.events.findIndex(isMessageDelta)]
      return {
        events: [
          ...draft.events.slice(0, at),
          ...draft.events.slice(end, end + 1),
          ...draft.events.slice(at, end),
          ...draft.events.slice(end + 1),
        ],
      }
    }),
  ),
  readable('M9', 'no-message-stop', 'no message_stop', (draft) =>
    without(draft, draft.events.findIndex(isMessageStop)),
  ),
  readable('M9', 'message-delta-again', 'message_delta again after message_stop', (draft) =>
    inserted(draft, draft.events.length, draft.events.filter(isMessageDelta)),
  ),
  readable('M10', 'no-names', 'no names of events', (draft) =>
    mapped(draft, (event) => ('raw' in event ? event : { ...event, name: '' })),
  ),
  readable('M10', 'other-names', 'the name "message" of each event', (draft) =>
    mapped(draft, (event) => ('raw' in event ? event : { ...event, name: 'message' })),
  ),
  readable(
    'M11',
    'end-turn-with-calls',
    'end_turn with calls',
    ifItems({ calls: 1 }, unlessCut(setting(REASON, 'end_turn', isMessageDelta))),
    { open: ['finish'] },
  ),
  readable(
    'M11',
    'openai-word',
    'the finish reason of chat',
    unlessCut((draft) => setting(REASON, draft.reply.finish, isMessageDelta)(draft)),
  ),
  readable('M12', 'no-usage', 'no usage in message_delta', setting(['usage'], undefined, isMessageDelta)),
  readable(
    'M12',
    'no-usage-in-start',
    'no usage in message_start',
    setting(['message', 'usage'], undefined, isMessageStart),
  ),
  readable('M15', 'done', '[DONE] at the end', (draft) =>
    inserted(draft, draft.events.length, [{ raw: 'data: [DONE]\n\n' }]),
  ),
  readable(
    'M16',
    'same-ids',
    'one id of several calls',
    ifItems({ calls: 2 }, setting([...BLOCK, 'id'], 'call_a1', isCall)),
    { open: ['ids'] },
  ),
  cutJson('M17', 'event: content_block_delta\n'),
]

function indexed(to: (index: number) => number): StreamChange['apply'] {
  return (draft) =>
    mapped(draft, (event) => {
      const index = indexOf(event)
      return typeof index === 'number' && to(index) !== index ? withMember(event, ['index'], to(index)) : event
    })
}

const ERROR = { error: { type: 'overloaded_error', message: 'the server failed' } }

function errorAt(name: string): StreamChange['apply'] {
  return ({ events }, random) => {
    const place = 1 + random.below(events.findIndex(isMessageDelta) - 1)
    const data = { type: 'error', ...ERROR }
    return { events: [...events.slice(0, place), { name, data }] }
  }
}

const LOST: readonly StreamChange[] = [
  ...brokenOff('M8 M9', isMessageDelta),
  lost('M8', 'no-message-delta', 'no message_delta', (draft) => without(draft, draft.events.findIndex(isMessageDelta))),
  lost('M8', 'null-stop-reason', 'stop_reason null at the end', setting(REASON, null, isMessageDelta)),
  lost('', 'error', 'an error in mid-stream', errorAt('error')),
  lost('M10', 'error-without-name', 'an error without a name of its event', errorAt('')),
  lost('M14', 'error-and-more', 'an error, and the rest of the reply', (draft, random) =>
    inserted(draft, 1 + random.below(draft.events.findIndex(isMessageDelta) - 1), [typedEvent('error', ERROR)]),
  ),
  lost('M2', 'no-call-start', 'no start of a call', (draft) => without(draft, draft.events.findIndex(isCall))),
  lost(
    'M4',
    'text-delta-in-call',
    'pieces of arguments as text',
    ifArguments((draft) =>
      mapped(draft, (event) => {
        const piece = memberOf(event, PIECE)
        return isDelta(event) && typeof piece === 'string'
          ? withMember(event, ['delta'], { type: 'text_delta', text: piece })
          : event
      }),
    ),
  ),
  lost('M5', 'no-name', 'no name of a call', ifItems({ calls: 1 }, setting([...BLOCK, 'name'], undefined, isCall))),
  ...piecesLost('M6', isPiece),
  lost(
    'M6',
    'arguments-twice',
    'arguments that come twice',
    unlessCut((draft, random) => {
      const start = draft.events[oneOf(placesOf(draft.events, isCall), random)]
      if (start === undefined) return null
      const own = draft.events.filter((event) => isPiece(event) && indexOf(event) === indexOf(start))
      return inserted(
        draft,
        draft.events.findIndex((event) => isStop(event) && indexOf(event) === indexOf(start)),
        own,
      )
    }),
    { showsArguments: true },
  ),
]

/** What is changed in streams of `/v1/messages`. */
export const MESSAGES_CHANGES: readonly StreamChange[] = [...FRAMING_CHANGES, ...SOUND, ...READABLE, ...LOST]
