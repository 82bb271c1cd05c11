import type { Json, JsonMap, StreamEvent } from './client-stream.ts'
import type { Draft, StreamChange } from './stream-change.ts'
import {
  brokenOff,
  callsIn,
  cutJson,
  FRAMING_CHANGES,
  has,
  ifItems,
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
  unlessCut,
  withJson,
  withMember,
  without,
} from './stream-change.ts'
import { chatChunk, chunkWith } from './write-chat.ts'

const DELTA = ['choices', 0, 'delta']
const CONTENT = [...DELTA, 'content']
const CALL = [...DELTA, 'tool_calls', 0]
const FINISH = ['choices', 0, 'finish_reason']
const ARGUMENTS = [...CALL, 'function', 'arguments']

/** The first delta of a call. */
const isStart = has([...CALL, 'id'])
const isFinish = (event: StreamEvent): boolean => typeof memberOf(event, FINISH) === 'string'
/** A delta of a call after its first one. */
const isPiece = (event: StreamEvent): boolean => has(CALL)(event) && !isStart(event)
const isDelta = has(DELTA)

function indexOf(event: StreamEvent): Json | undefined {
  return memberOf(event, [...CALL, 'index'])
}

/** Joins each pair of neighbouring chunks into one, as far as they have members for it. */
function mergedChunks({ events }: Draft): readonly StreamEvent[] {
  return events.reduce<readonly StreamEvent[]>((made, event) => {
    const [before, delta] = [made.at(-1), memberOf(event, DELTA)]
    const others = memberOf(before, DELTA)
    if (!isMap(delta) || !isMap(others) || before === undefined || isFinish(before)) return [...made, event]
    const isFree = Object.keys(delta).every((member) => !(member in others) || others[member] === '')
    if (!isFree) return [...made, event]
    const joined = withMember(
      withMember(before, DELTA, { ...others, ...delta }),
      FINISH,
      memberOf(event, FINISH) ?? null,
    )
    return [...made.slice(0, -1), joined]
  }, [])
}

function isMap(value: Json | undefined): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The first deltas of all calls in one chunk; their pieces follow, a round at a time. */
function interleaved({ events }: Draft, isTogether: boolean): readonly StreamEvent[] {
  const [starts, others] = [events.filter(isStart), events.filter(isPiece)]
  const first = events.findIndex(isStart)
  const rounds = new Map<Json | undefined, number>()
  const turns = others.map((event) => {
    const round = rounds.get(indexOf(event)) ?? 0
    rounds.set(indexOf(event), round + 1)
    return { event, round }
  })
  const pieces = turns.toSorted((one, other) => one.round - other.round).map(({ event }) => event)
  const calls = starts.flatMap((event) => memberOf(event, [...DELTA, 'tool_calls']) as readonly Json[])
  const begin = isTogether ? [chatChunk({ tool_calls: calls })] : starts
  const rest = events.slice(first).filter((event) => !has(CALL)(event))
  return [...events.slice(0, first), ...begin, ...pieces, ...rest]
}

const SOUND: readonly StreamChange[] = [
  sound('merged-chunks', 'role, text, call and finish in one chunk', (draft) => ({ events: mergedChunks(draft) })),
  sound(
    'calls-together',
    'the beginnings of several calls in one chunk',
    ifItems({ calls: 2 }, (draft) => ({ events: interleaved(draft, true) })),
  ),
  sound(
    'interleaved-calls',
    'pieces of several calls in turn',
    ifItems({ calls: 2 }, (draft) => ({ events: interleaved(draft, false) })),
  ),
  sound('empty-deltas', 'empty texts and arguments', (draft) =>
    mapped(draft, (event) => {
      if (isPiece(event)) return [withMember(event, ARGUMENTS, ''), event]
      return isDelta(event) && !isFinish(event) ? [event, chatChunk({ content: '' })] : event
    }),
  ),
  sound('empty-objects', 'deltas without a member', (draft) =>
    mapped(draft, (event) => (isDelta(event) && !isFinish(event) ? [event, chatChunk({})] : event)),
  ),
  sound('first-without-choices', 'a first chunk without choices, as Azure sends it', (draft) =>
    inserted(draft, 0, [{ name: '', data: chunkWith([]) }]),
  ),
  sound('nulls', 'null for every member that a delta lacks', (draft) =>
    mapped(draft, (event) => {
      const delta = memberOf(event, DELTA)
      return isMap(delta) ? withMember(event, DELTA, { ...NULLS, ...delta }) : event
    }),
  ),
  sound('no-call-type', 'no type of a call', ifItems({ calls: 1 }, setting([...CALL, 'type'], undefined, isStart))),
  sound('no-optional-members', 'no object, created or logprobs', (draft) =>
    mapped(draft, (event) => OPTIONAL.reduce<StreamEvent>((made, path) => withMember(made, path, undefined), event)),
  ),
  sound(
    'no-null-finish',
    'no finish_reason before the last',
    setting(FINISH, undefined, (event) => isDelta(event) && !isFinish(event)),
  ),
  sound('no-usage', 'no usage', (draft) => {
    const made = without(draft, draft.events.findIndex(has(['usage'])))
    return made === null ? null : { ...made, said: { usage: null } }
  }),
  sound('null-usage', 'usage null in each chunk but the last', setting(['usage'], null, isDelta)),
  sound('role-in-each-delta', 'the role in each delta', setting([...DELTA, 'role'], 'assistant', isDelta)),
  sound('reasoning-member', 'reasoning in the member "reasoning"', (draft) =>
    mapped(draft, (event) => {
      const thought = memberOf(event, [...DELTA, 'reasoning_content'])
      return thought === undefined ? event : withMember(event, DELTA, { reasoning: thought })
    }),
  ),
  sound('unknown-members', 'members that the API does not have', (draft) =>
    mapped(draft, (event) => withMember(withMember(event, ['provider'], 'x'), [...DELTA, 'annotations'], [])),
  ),
  sound('arguments-in-first-delta', 'the first piece of arguments with the name', (draft) => {
    const { events } = draft
    const made = events.flatMap((event, at) => {
      const [next, before] = [events[at + 1], events[at - 1]]
      if (isStart(event) && next !== undefined && isPiece(next))
        return withMember(event, ARGUMENTS, memberOf(next, ARGUMENTS) ?? '')
      return before !== undefined && isStart(before) && isPiece(event) ? [] : [event]
    })
    return made.length === events.length ? null : { events: made }
  }),
]

const NULLS = { content: null, reasoning_content: null, tool_calls: null, function_call: null, refusal: null }

const OPTIONAL = [['object'], ['created'], ['choices', 0, 'logprobs']]

const READABLE: readonly StreamChange[] = [
  readable('C1', 'no-role', 'no role', setting([...DELTA, 'role'], undefined)),
  readable('C2', 'id-changes', 'another id in each chunk', (draft) =>
    mapped(draft, (event, at) => withMember(event, ['id'], `chatcmpl-${at}`)),
  ),
  readable(
    'C3',
    'no-index',
    'no index of its call',
    ifItems({ calls: 1 }, (draft) =>
      callsIn(draft) > 1 ? null : setting([...CALL, 'index'], undefined, has(CALL))(draft),
    ),
  ),
  readable(
    'C3',
    'same-index',
    'the index 0 in all calls',
    ifItems({ calls: 2 }, setting([...CALL, 'index'], 0, has(CALL))),
  ),
  readable('C4', 'late-id', 'the id of a call in its second delta', ifItems({ calls: 1 }, late([...CALL, 'id']))),
  readable(
    'C4',
    'late-name',
    'the name of a call in its second delta',
    ifItems({ calls: 1 }, late([...CALL, 'function', 'name'])),
  ),
  readable('C4', 'no-id', 'no id of a call', ifItems({ calls: 1 }, setting([...CALL, 'id'], undefined, isStart)), {
    open: ['ids'],
  }),
  readable(
    'C5',
    'name-again',
    'the name in each delta of a call',
    ifItems({ calls: 1 }, (draft) => mapped(draft, repeating(draft, 'name'))),
  ),
  readable(
    'C5',
    'id-again',
    'another id in each delta of a call',
    ifItems({ calls: 1 }, (draft) =>
      mapped(draft, (event, at) => (isPiece(event) ? withMember(event, [...CALL, 'id'], `other_${at}`) : event)),
    ),
  ),
  readable('C6', 'index-from-1', 'indices of calls from 1', ifItems({ calls: 1 }, shifted(1, 1))),
  readable('C6', 'index-skips', 'indices of calls 0, 2, 4', ifItems({ calls: 2 }, shifted(0, 2))),
  readable('C7', 'finish-twice', 'two finish reasons', (draft) =>
    inserted(draft, draft.events.findIndex(isFinish), draft.events.filter(isFinish)),
  ),
  readable(
    'C7',
    'text-after-finish',
    'the last delta after the finish',
    unlessCut((draft) => {
      const end = draft.events.findIndex(isFinish)
      const [last, finish] = [draft.events[end - 1], draft.events[end]]
      if (last === undefined || finish === undefined || end < 2) return null
      return { events: draft.events.toSpliced(end - 1, 2, finish, last) }
    }),
  ),
  readable('C8', 'no-done', 'no [DONE]', (draft) => without(draft, draft.events.length - 1)),
  readable(
    'C9',
    'stop-with-calls',
    'finish stop with calls',
    ifItems({ calls: 1 }, unlessCut(setting(FINISH, 'stop', isFinish))),
    { open: ['finish'] },
  ),
  readable(
    'C10',
    'empty-arguments',
    'no text as the arguments of a call without any',
    (draft) =>
      callsIn(draft) === 1 && draft.reply.items.some((item) => item.kind === 'call' && item.arguments === '{}')
        ? mapped(draft, (event) => (isPiece(event) ? [] : event))
        : null,
    { showsArguments: true },
  ),
  readable(
    'C10',
    'arguments-value',
    'arguments as a value',
    ifItems(
      { calls: 1 },
      unlessCut((draft) => {
        const whole = draft.reply.items.flatMap((item) => (item.kind === 'call' ? [item.arguments] : []))
        return mapped(draft, (event) => {
          if (isPiece(event)) return []
          return isStart(event) ? withJson(event, ARGUMENTS, whole[Number(indexOf(event))] ?? '{}') : event
        })
      }),
    ),
  ),
  readable('C11', 'usage-with-choices', 'usage in the chunk with the finish', (draft) => {
    const usage = draft.events.find(has(['usage']))
    const events = draft.events.filter((event) => event !== usage)
    return mapped({ events }, (event) =>
      isFinish(event) ? withMember(event, ['usage'], memberOf(usage, ['usage']) ?? null) : event,
    )
  }),
  readable('C14', 'half-characters', 'characters cut between two texts', (draft) =>
    mapped(draft, (event) => {
      const content = memberOf(event, CONTENT)
      const at = typeof content === 'string' ? content.search(/[\u{10000}-\u{10ffff}]/u) : -1
      if (typeof content !== 'string' || at < 0) return event
      return [withMember(event, CONTENT, content.slice(0, at + 1)), withMember(event, CONTENT, content.slice(at + 1))]
    }),
  ),
  readable(
    'C15',
    'same-ids',
    'one id of several calls',
    ifItems({ calls: 2 }, setting([...CALL, 'id'], 'call_a1', isStart)),
    {
      open: ['ids'],
    },
  ),
  cutJson('C16', ''),
]

function late(path: readonly (string | number)[]): StreamChange['apply'] {
  return (draft) => {
    const { events } = draft
    const made = events.map((event, at) => {
      const before = events[at - 1]
      if (isStart(event))
        return events[at + 1] !== undefined && isPiece(events[at + 1] as StreamEvent)
          ? withMember(event, path, undefined)
          : event
      return before !== undefined && isStart(before) && isPiece(event)
        ? withMember(event, path, memberOf(before, path))
        : event
    })
    return made.every((event, at) => event === events[at]) ? null : { events: made }
  }
}

function repeating({ events }: Draft, member: string): (event: StreamEvent) => StreamEvent {
  const names = new Map(
    events.filter(isStart).map((event) => [indexOf(event), memberOf(event, [...CALL, 'function', member])]),
  )
  return (event) =>
    isPiece(event) ? withMember(event, [...CALL, 'function', member], names.get(indexOf(event))) : event
}

function shifted(from: number, step: number): StreamChange['apply'] {
  return (draft) =>
    mapped(draft, (event) =>
      has(CALL)(event) ? withMember(event, [...CALL, 'index'], from + step * Number(indexOf(event))) : event,
    )
}

const ERROR = { error: { message: 'the server failed', type: 'server_error', code: 500 } }

const LOST: readonly StreamChange[] = [
  ...brokenOff('C7 C8', isFinish),
  lost('C7', 'no-finish', 'no finish reason', (draft) => without(draft, draft.events.findIndex(isFinish))),
  ...['map', 'text'].map((form) =>
    lost('', `error-${form}`, `an error (a ${form}) in mid-stream`, (draft, random) => {
      const place = 1 + random.below(draft.events.findIndex(isFinish) - 1)
      const data = form === 'map' ? ERROR : { error: 'the server failed' }
      return { events: [...draft.events.slice(0, place), { name: '', data }] }
    }),
  ),
  lost('C13', 'error-and-more', 'an error, and the rest of the reply', (draft, random) =>
    inserted(draft, 1 + random.below(draft.events.findIndex(isFinish) - 1), [{ name: '', data: ERROR }]),
  ),
  ...piecesLost('C10', isPiece),
  lost(
    'C10',
    'arguments-twice',
    'arguments that come twice',
    unlessCut((draft, random) => {
      const starts = placesOf(draft.events, isStart)
      const place = oneOf(starts, random)
      const index = indexOf(draft.events[place] ?? { raw: '' })
      const own = draft.events.filter((event) => isPiece(event) && indexOf(event) === index)
      return own.length === 0 ? null : inserted(draft, draft.events.indexOf(own.at(-1) as StreamEvent) + 1, own)
    }),
    { showsArguments: true },
  ),
  lost(
    'C4',
    'no-name',
    'no name of a call',
    ifItems({ calls: 1 }, setting([...CALL, 'function', 'name'], undefined, isStart)),
  ),
]

/** What is changed in streams of `/v1/chat/completions`. */
export const CHAT_CHANGES: readonly StreamChange[] = [...FRAMING_CHANGES, ...SOUND, ...READABLE, ...LOST]
