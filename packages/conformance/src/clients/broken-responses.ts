import type { JsonMap } from './client-stream.ts'
import { withValue } from './client-stream.ts'
import {
  changing,
  finalOutput,
  inFinal,
  is,
  isAdded,
  isDone,
  isEnd,
  isOf,
  isPiece,
  isText,
} from './responses-events.ts'
import type { StreamChange } from './stream-change.ts'
import {
  brokenOff,
  callsIn,
  cutJson,
  dataOf,
  has,
  ifItems,
  inserted,
  lost,
  mapped,
  memberOf,
  readable,
  setting,
  unlessCut,
  withMember,
  without,
} from './stream-change.ts'
import { typedEvent } from './write-messages.ts'
import { numbered, responseOf } from './write-responses.ts'

/** Changes that break a law of responses, while the reply can be known. */
export const READABLE_RESPONSES: readonly StreamChange[] = [
  readable(
    'R1',
    'no-created',
    'no response.created',
    changing((draft) => without(draft, 0)),
  ),
  readable('R1', 'no-sequence-numbers', 'no sequence numbers', setting(['sequence_number'], undefined)),
  readable('R1', 'sequence-skips', 'sequence numbers that skip', (draft) =>
    mapped(draft, (event, at) => (at === 0 ? event : withMember(event, ['sequence_number'], 2 * at))),
  ),
  readable('R2', 'no-output-index', 'no output_index', setting(['output_index'], undefined)),
  readable('R2', 'output-index-from-1', 'output_index from 1', (draft) =>
    mapped(draft, (event) => {
      const index = memberOf(event, ['output_index'])
      return typeof index === 'number' ? withMember(event, ['output_index'], index + 1) : event
    }),
  ),
  readable(
    'R2',
    'same-output-index',
    'the output_index 0 in all items',
    ifItems({ items: 2 }, setting(['output_index'], 0, has(['output_index']))),
  ),
  readable(
    'R2',
    'no-added',
    'no added event of an item',
    changing((draft) => without(draft, draft.events.findIndex(isAdded))),
  ),
  readable(
    'R3',
    'no-item-done',
    'no done event of an item',
    changing((draft) => without(draft, draft.events.findIndex(isDone))),
  ),
  readable(
    'R3',
    'item-done-twice',
    'two done events of an item',
    changing((draft) => {
      const at = draft.events.findIndex(isDone)
      return at < 0 ? null : inserted(draft, at, draft.events.slice(at, at + 1))
    }),
  ),
  readable(
    'R4',
    'item-id-changes',
    'another id of an item in its done event',
    setting(['item', 'id'], 'other_1', isDone),
  ),
  readable('R4', 'final-id-changes', 'other ids of items in the final response', (draft) =>
    draft.reply.items.length === 0
      ? null
      : finalOutput((items) => items.map((item, at) => ({ ...item, id: `other_${at}` })))(draft),
  ),
  readable(
    'R5',
    'no-content-part',
    'no content_part.added',
    changing((draft) => without(draft, draft.events.findIndex(is('content_part.added')))),
  ),
  readable(
    'R6',
    'final-text-differs',
    'another text in the final response',
    inFinal('message', ['content', 0, 'text'], () => 'Another text.'),
  ),
  readable(
    'R6',
    'final-text-empty',
    'no text in the final response',
    inFinal('message', ['content', 0, 'text'], (text) => (text === '' ? text : '')),
  ),
  readable(
    'R6',
    'final-arguments-empty',
    'no arguments in the final response',
    inFinal('function_call', ['arguments'], () => ''),
  ),
  readable(
    'R6',
    'final-arguments-differ',
    'other arguments in the final response',
    inFinal('function_call', ['arguments'], () => '{"city": "Bonn"}'),
  ),
  readable(
    'R6',
    'text-piece-lost',
    'a text piece that is lost, but not in the rest',
    changing((draft) => without(draft, draft.events.findIndex(isText))),
  ),
  readable(
    'R6',
    'arguments-piece-lost',
    'a piece of arguments that is lost, but not in the rest',
    changing((draft) => without(draft, draft.events.findIndex(isPiece))),
  ),
  readable(
    'R7',
    'no-arguments-done',
    'no function_call_arguments.done',
    changing((draft) => mapped(draft, (event) => (is('function_call_arguments.done')(event) ? [] : event))),
  ),
  readable(
    'R7',
    'late-name',
    'the name of a call in its done event',
    setting(['item', 'name'], undefined, isOf('function_call', isAdded)),
  ),
  readable(
    'R7',
    'late-call-id',
    'the call_id of a call in its done event',
    setting(['item', 'call_id'], undefined, isOf('function_call', isAdded)),
  ),
  readable(
    'R7',
    'arguments-in-added',
    'the arguments in the added event, too',
    unlessCut((draft) => {
      const whole = draft.reply.items.map((item) => (item.kind === 'call' ? item.arguments : ''))
      return mapped(draft, (event) =>
        isOf('function_call', isAdded)(event)
          ? withMember(event, ['item', 'arguments'], whole[Number(memberOf(event, ['output_index']))] ?? '')
          : event,
      )
    }),
  ),
  readable(
    'R8',
    'terminal-twice',
    'two terminal events',
    changing((draft) => inserted(draft, draft.events.length, draft.events.slice(-1))),
  ),
  readable('R9', 'cut-says-completed', 'status completed, though an item is incomplete', (draft) => {
    if (draft.reply.finish !== 'length') return null
    return mapped(draft, (event) =>
      'raw' in event || !isEnd(event)
        ? event
        : {
            name: 'response.completed',
            data: withValue(
              withValue(withValue(event.data, ['type'], 'response.completed'), ['response', 'status'], 'completed'),
              ['response', 'incomplete_details'],
              null,
            ),
          },
    )
  }),
  readable(
    'R10',
    'same-call-ids',
    'one call_id of several calls',
    (draft) => {
      if (callsIn(draft) < 2) return null
      const made = setting(
        ['item', 'call_id'],
        'call_a1',
        (event) => memberOf(event, ['item', 'type']) === 'function_call',
      )(draft)
      return made === null
        ? null
        : finalOutput((items) =>
            items.map((item) => (item['type'] === 'function_call' ? { ...item, call_id: 'call_a1' } : item)),
          )({ ...draft, events: made.events ?? [] })
    },
    { open: ['ids'] },
  ),
  readable(
    'R10',
    'final-call-id-changes',
    'another call_id in the final response',
    inFinal('function_call', ['call_id'], () => 'call_other'),
  ),
  readable('R11', 'no-names', 'no names of events', (draft) =>
    mapped(draft, (event) => ('raw' in event ? event : { ...event, name: '' })),
  ),
  readable(
    'R12',
    'delta-after-done',
    'a delta after the done event of its item',
    changing((draft) => {
      const at = draft.events.findIndex((event) => isPiece(event) || isText(event))
      const done = draft.events.findIndex(
        (event) => isDone(event) && memberOf(event, ['output_index']) === memberOf(draft.events[at], ['output_index']),
      )
      const [delta] = draft.events.slice(at, at + 1)
      if (at < 0 || delta === undefined || 'raw' in delta) return null
      return inserted(draft, done + 1, [withMember(delta, ['delta'], '')])
    }),
  ),
  readable(
    'R14',
    'final-lacks-call',
    'no call in the final response',
    (draft) =>
      callsIn(draft) === 0
        ? null
        : finalOutput((items) => items.filter((item) => item['type'] !== 'function_call'))(draft),
    { open: ['finish'] },
  ),
  readable('R14', 'final-empty', 'an empty output in the final response', (draft) =>
    draft.reply.items.length === 0 ? null : finalOutput(() => [])(draft),
  ),
  readable('R14', 'final-order-differs', 'another order in the final response', (draft) =>
    draft.reply.items.length < 2 ? null : finalOutput((items) => items.toReversed())(draft),
  ),
  readable('R15', 'no-usage', 'no usage', setting(['response', 'usage'], undefined, isEnd)),
  readable(
    'R16',
    'response-id-changes',
    'another id of the response at the end',
    setting(['response', 'id'], 'resp_2', isEnd),
  ),
  cutJson('R17', ''),
]

const ERROR = { code: 'server_error', message: 'the server failed', param: null }

/** Changes after which the reply cannot be known. */
export const LOST_RESPONSES: readonly StreamChange[] = [
  ...brokenOff('R8', isEnd),
  lost('R8', 'no-terminal', 'no terminal event', (draft) => without(draft, draft.events.findIndex(isEnd))),
  lost('', 'error', 'an error in mid-stream', (draft, random) => {
    const place = 1 + random.below(draft.events.findIndex(isEnd) - 1)
    return { events: [...draft.events.slice(0, place), typedEvent('error', { ...ERROR, sequence_number: place })] }
  }),
  lost('', 'failed', 'response.failed', (draft, random) => {
    const place = 2 + random.below(draft.events.findIndex(isEnd) - 2)
    const response = responseOf({ status: 'failed', error: { code: 'server_error', message: 'the server failed' } })
    return { events: numbered([...draft.events.slice(0, place), typedEvent('response.failed', { response })]) }
  }),
  lost('R7 R14', 'no-name', 'no name of a call, anywhere', (draft) => {
    if (callsIn(draft) === 0) return null
    const nameless = (item: JsonMap): JsonMap => withValue(item, ['name'], undefined)
    const made = mapped(draft, (event) =>
      dataOf(event) === null ? event : withMember(withMember(event, ['item', 'name'], undefined), ['name'], undefined),
    )
    return made === null ? null : finalOutput((items) => items.map(nameless))({ ...draft, ...made })
  }),
]
