import type { Format, ReadOptions, Reply } from '@callspec/core'
import type { ToolSpec as OfferedTool } from '@callspec/core/qwen-agent'
import type { ToolSpec } from '../../trace/task.ts'

/** A function of a format that is worked out once for each. */
export function oncePerFormat<T>(make: (format: Format) => T): (format: Format) => T {
  const known = new WeakMap<Format, { readonly value: T }>()
  return (format) => {
    const made = known.get(format) ?? { value: make(format) }
    known.set(format, made)
    return made.value
  }
}

/** What a reader receives in addition to the text. */
export interface Known {
  readonly tools: readonly ToolSpec[] | null
  /** The version of the format's reference. Default: the format's first one. */
  readonly version?: string
  /** Whether the text begins inside of a thought that the prompt has opened. Default: no. */
  readonly isOpened?: boolean
}

/** A reply that is to be read. */
export interface ReadInput extends Known {
  readonly text: string
  /** Whether a text holds what begins a call, in any spelling. */
  readonly means: (text: string) => boolean
}

/** A reply as the format's own reader has it: what the loop acts on, and what strict reading says. */
export function readFormat(format: Format, text: string, known: Known): Reply {
  const { tools, version, isOpened = false } = known
  const isSame = last?.format === format && last.text === text && last.tools === tools && last.version === version
  if (last === null || !isSame || last.isOpened !== isOpened)
    last = { format, text, tools, version, isOpened, reply: read(format, text, known) }
  return last.reply
}

/** One reply is read several times: strictly, leniently, and by those who ask for its calls. */
let last: {
  readonly format: Format
  readonly text: string
  readonly tools: Known['tools']
  readonly version: string | undefined
  readonly isOpened: boolean
  readonly reply: Reply
} | null = null

function read(format: Format, text: string, { tools, version, isOpened = false }: Known): Reply {
  // All hosts make every call of a reply. Member by member: spreads cost more than reading a short reply.
  const options: { -readonly [Key in keyof ReadOptions]: ReadOptions[Key] } = {
    parallelCalls: true,
    thoughtInContent: isOpened,
  }
  const offered = tools as readonly OfferedTool[] | null
  if (offered !== null) options.tools = offered
  if (version !== undefined) options.version = version
  const reply = format.read(text, options)
  if (reply.error === null) return reply
  // A reference may raise on a stop word, because its caller cuts the text there.
  const cut = format.read(text, { ...options, stopWords: 'default' })
  return cut.error === null ? cut : reply
}
