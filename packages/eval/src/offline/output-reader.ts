import type { TurnLabel } from '@callspec/labels'
import type { NativeCall } from '../trace/completion.ts'
import { HOSTED_FORMATS, NATIVE, protocolCalled } from '../trace/protocol.ts'
import type { Protocol } from '../trace/protocol.ts'
import { endsInArguments, isUnclosed } from '../protocols/format/repair.ts'
import { protocolEntry } from '../protocols/table.ts'
import { labelTurn } from '../score/label-turn.ts'
import { splitThought } from '../reading/thought.ts'
import type { ToolSpec } from '../trace/task.ts'

/** What a recorded output is worth. */
export interface ReadOutput {
  readonly strict: TurnLabel
  readonly lenient: TurnLabel
  /** Why strict reading failed; null where it did not. */
  readonly problem: string | null
  /** What it took to read the calls. */
  readonly repairs: readonly string[]
  /** The functions that are called, as far as they can be read. */
  readonly names: readonly string[]
}

/** How recorded outputs of one format are read: a built-in protocol, or a format that somebody brings along. */
export interface OutputReader {
  /** Whether a row that names this format is meant. */
  readonly accepts: (format: string) => boolean
  /** May be asked for any text; `reply` is what stood beside it. What it throws ends the scoring. */
  readonly read: (text: string, reply?: LoggedReply) => ReadOutput | Promise<ReadOutput>
}

/**
 * The reader of a built-in protocol. Where a server has read the calls of a text protocol by itself, they are judged as what
 * they are, native ones: the text that is left of the reply holds none.
 */
export function protocolReader(protocol: Protocol): OutputReader {
  const { dialect } = protocolEntry(protocol)
  return {
    accepts: (format) => protocolMeant(format) === protocol.toLowerCase(),
    read: (text, reply = NOTHING_BESIDE) => {
      const spoken = isReadByServer(protocol, reply) ? NATIVE : protocol
      const { strict, lenient, problem, repairs } = labelTurn({ protocol: spoken, text, failed: false, ...reply })
      const { visible } = (dialect.split ?? splitThought)(text)
      const { calls } = dialect.readLenient(visible, null, reply.tools)
      const names = [...(calls ?? []), ...reply.toolCalls].map((call) => call.name)
      // Repairs close what was cut off; what is missing from the arguments stays unknown.
      if (lenient === 'recovered' && isCut(protocol, visible, reply))
        return { strict, lenient: 'truncated', problem, repairs: [], names }
      return { strict, lenient, problem, repairs, names }
    },
  }
}

/** Whether calls stand beside the text though the protocol writes them into it. */
function isReadByServer(protocol: Protocol, { toolCalls }: LoggedReply): boolean {
  return toolCalls.length > 0 && protocolEntry(protocol).dialect.callBlocks === undefined
}

function isCut(protocol: Protocol, text: string, { toolCalls }: LoggedReply): boolean {
  if (toolCalls.length > 0) return toolCalls.some((call) => isUnclosed(call.arguments))
  const format = HOSTED_FORMATS.get(protocol) ?? protocolEntry(protocol).format
  return format !== undefined && endsInArguments(format, text)
}

const NOTHING_BESIDE: LoggedReply = { reasoning: '', toolCalls: [], finishReason: null, tools: null }

/** What files call native calls too. */
const ALSO_NATIVE = 'native_fc'

/** The protocol that a file means by a name. */
function protocolMeant(name: string): Protocol {
  const lower = name.toLowerCase()
  return lower === ALSO_NATIVE ? NATIVE : (protocolCalled(lower) ?? lower)
}

/** What a server answered besides the text. */
export interface LoggedReply {
  readonly reasoning: string
  readonly toolCalls: readonly NativeCall[]
  readonly finishReason: string | null
  /** The tools of the request; null when the log does not hold it. */
  readonly tools: readonly ToolSpec[] | null
}
