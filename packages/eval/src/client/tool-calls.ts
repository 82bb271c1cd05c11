import type { NativeCall, ReplyWarning } from '../trace/completion.ts'
import { createPieces } from './pieces.ts'
import type { Pieces } from './pieces.ts'
import { isRecord, textOf } from '../text/json.ts'
import type { JsonRecord } from '../text/json.ts'

/** Collects the native calls of a reply from what its messages or deltas hold. */
export interface CallCollector {
  /** `isWhole`: every call in it is complete, so each is one of its own. */
  add(message: JsonRecord, isWhole: boolean): void
  calls(): readonly NativeCall[]
  /** UTF-16 units of all names and arguments so far. */
  units(): number
}

interface OpenCall {
  readonly index: unknown
  id: string
  name: string
  readonly args: Pieces
}

/**
 * Merges streamed deltas by their index. What servers do otherwise is read as it is meant: no index (the id decides, and
 * without one it is the last call), one index for several calls with ids and names of their own, the name in every delta,
 * arguments that are a value instead of a text, the old `function_call`.
 */
export function createCallCollector(warn: (warning: ReplyWarning) => void): CallCollector {
  const open: OpenCall[] = []
  let units = 0
  const addDelta = (delta: JsonRecord, isWhole: boolean): void => {
    const called = isRecord(delta['function']) ? delta['function'] : delta
    const [id, name] = [textOf(delta['id']), textOf(called['name'])]
    const index = delta['index'] ?? null
    let call = isWhole ? undefined : index === null ? open.at(-1) : open.findLast((each) => each.index === index)
    if (call === undefined || isAnother(call, { index, id, name })) {
      call = { index, id: '', name: '', args: createPieces() }
      open.push(call)
    }
    if (call.id === '') call.id = id
    if (name !== call.name) call.name += name
    const text = argumentText(called['arguments'], warn)
    const before = call.args.units()
    call.args.add(text)
    units += name.length + call.args.units() - before
  }
  return {
    add: (message, isWhole) => {
      const given = message['tool_calls']
      for (const each of Array.isArray(given) ? given : []) if (isRecord(each)) addDelta(each, isWhole)
      const old = message['function_call']
      if (!isRecord(old) || Array.isArray(given)) return
      warn('function-call')
      addDelta({ index: 0, function: old }, isWhole)
    },
    calls: () => {
      if (open.some(({ id }, at) => id === '' || open.findIndex((other) => other.id === id) < at)) warn('no-call-id')
      if (open.some(({ args }) => args.isCumulative())) warn('cumulative-deltas')
      return open.map(({ id, name, args }) => ({ id, name, arguments: args.text() }))
    },
    units: () => units,
  }
}

/** Some servers count every call as the first one, or none at all: an id and a name of its own make it another. */
function isAnother(call: OpenCall, { index, id, name }: Pick<OpenCall, 'index' | 'id' | 'name'>): boolean {
  if (name === '') return false
  if (id !== '') return call.id !== '' && id !== call.id
  return index === null && call.args.units() > 0
}

function argumentText(given: unknown, warn: (warning: ReplyWarning) => void): string {
  if (typeof given === 'string') return given
  if (given === undefined || given === null) return ''
  warn('arguments-not-text')
  try {
    return JSON.stringify(given)
  } catch {
    // Nested too deeply to be written out.
    return ''
  }
}
