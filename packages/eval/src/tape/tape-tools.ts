import { canonicalJson, sha256 } from '../text/canonical-json.ts'
import type { StateValue, Toolbox, ToolCall, ToolReply, ToolSession } from '../trace/task.ts'
import type { TapeShelf } from './shelf.ts'

/**
 * Tools whose answers come from a tape, or go onto it. What a tool answers depends on the calls before, so an answer is filed
 * under all of them; what stands in the world at the end likewise.
 */
export function tapedToolbox(toolbox: Toolbox, shelf: TapeShelf): Toolbox {
  return (task, sample = 0) => {
    const where = `in ${task.id} (sample ${sample})`
    const real = lateSession(() => toolbox(task, sample))
    let past = sha256(canonicalJson({ task: task.id, sample }))
    return {
      call: (call) => {
        past = sha256(canonicalJson([past, call.name, call.arguments]))
        const entry = { kind: 'tool', key: past, about: `the call of ${JSON.stringify(call.name)} ${where}` }
        const made = real.add(call)
        return shelf.answer(entry, { read: readReply, write: ({ text, isError }) => ({ text, isError }), ask: made })
      },
      stateAt: async (path) => {
        const entry = { kind: 'state', key: sha256(canonicalJson([past, path])), about: `the state ${path} ${where}` }
        const ask = async (): Promise<State> => ({ value: await (await real.caughtUp()).stateAt(path) })
        return (await shelf.answer(entry, { read: readState, write: ({ value }) => ({ value }), ask })).value
      },
    }
  }
}

/** The real tools of an episode: begun when an answer is missing, and then told everything that was called before. */
interface LateSession {
  /** Takes note of a call; what it gives back makes the call. */
  add(call: ToolCall): () => Promise<ToolReply>
  caughtUp(): Promise<ToolSession>
}

function lateSession(begin: () => ToolSession): LateSession {
  const calls: ToolCall[] = []
  let made = 0
  let session: ToolSession | null = null
  const upTo = async (end: number): Promise<ToolSession> => {
    session ??= begin()
    for (; made < end; made += 1) {
      const call = calls[made]
      if (call !== undefined) await session.call(call)
    }
    return session
  }
  return {
    add: (call) => {
      const at = calls.push(call) - 1
      return async () => {
        const tools = await upTo(at)
        made = at + 1
        return tools.call(call)
      }
    },
    caughtUp: () => upTo(calls.length),
  }
}

interface State {
  readonly value: StateValue
}

function readReply({ text, isError }: Readonly<Record<string, unknown>>): ToolReply | null {
  return typeof text === 'string' && typeof isError === 'boolean' ? { text, isError } : null
}

function readState({ value }: Readonly<Record<string, unknown>>): State | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
    ? { value: value as StateValue }
    : null
}
