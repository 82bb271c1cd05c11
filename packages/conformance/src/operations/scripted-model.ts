import { InputError } from '@callspec/core'
import { isDict, isList, errorOf, Raise } from '@callspec/python'
import { openAiReply } from '@callspec/qwen-agent'
import { openAiReplies } from '@callspec/qwen-agent/reference'
import type { Message, Profile } from '@callspec/core/qwen-agent'
import type { PreparedChat, ReplyChunk, ToolCallDelta } from '@callspec/qwen-agent'
import type { PyDict, PyList, PyValue } from '@callspec/python'
import type { ReferenceError } from '@callspec/core'
import { refuseUnknown, withoutChoices, withoutFunction } from './openai-shape.ts'
import { list, optionalDict, optionalText } from './read.ts'

/** What the client of a scripted service yields in one model call, and the error that ended it, if one did. */
export interface ScriptedReplies {
  readonly replies: readonly (readonly Message[])[]
  readonly error: ReferenceError | null
}

interface ReplyOptions {
  readonly profile: Profile
  readonly attachExtra: PyDict | null
}

/**
 * A service that answers with the `completions` of a case, one per call, behind the OpenAI-style client of the profile.
 *
 * An entry is a text, `{content, reasoning_content, tool_calls}`, `{chunks: […]}` or `{error: text}`; one from the log of an
 * OpenAI-style server (`choices`, `function` of a call) is understood, other members are refused. With streaming, a text arrives
 * as one chunk, and reasoning before content, each only where there is some. `attach_extra` is put into `extra` of every message of the client.
 */
export function scriptedModel(
  input: PyDict,
  profile: Profile,
): (prepared: Pick<PreparedChat, 'stream'>) => ScriptedReplies {
  const completions: PyList = list(input, 'completions')
  const options = { profile, attachExtra: optionalDict(input, 'attach_extra') }
  let next = 0
  return ({ stream }) => {
    const entry = completions[next]
    if (entry === undefined) {
      throw new InputError('input.completions', `has ${completions.length} entries, and the model is called once more.`)
    }
    next += 1
    return repliesOf(entry, stream, options)
  }
}

function repliesOf(entry: PyValue, stream: boolean, { profile, attachExtra }: ReplyOptions): ScriptedReplies {
  const failure = isDict(entry) ? optionalText(entry, 'error') : null
  if (failure !== null) return { replies: [], error: { type: 'ModelServiceError', message: failure } }
  const replies: (readonly Message[])[] = []
  try {
    const chunks = chunksOf(entry)
    for (const list of stream ? openAiReplies(chunks, profile) : [openAiReply(joined(chunks), profile)]) {
      replies.push(list.map((message) => withExtra(message, attachExtra)))
    }
    return { replies, error: null }
  } catch (error) {
    if (error instanceof Raise) return { replies, error: errorOf(error) }
    throw error
  }
}

function chunksOf(entry: PyValue): readonly ReplyChunk[] {
  if (typeof entry === 'string') return [{ content: entry }]
  if (!isDict(entry)) throw new InputError('input.completions', 'An entry must be a text or a map.')
  const said = withoutChoices(entry)
  refuseUnknown(said, ENTRY_MEMBERS, 'input.completions')
  const chunks = said.get('chunks')
  if (chunks !== undefined) {
    if (!isList(chunks)) throw new InputError('input.completions', '"chunks" must be a list.')
    return chunks.map((chunk) => (typeof chunk === 'string' ? { content: chunk } : chunkOf(chunk)))
  }
  const reasoning = optionalText(said, 'reasoning_content') ?? ''
  const content = optionalText(said, 'content') ?? ''
  const calls = callsOf(said)
  const parts = [
    ...(reasoning === '' ? [] : [{ reasoning_content: reasoning }]),
    ...(content === '' ? [] : [{ content }]),
    ...(calls === null ? [] : [{ tool_calls: calls }]),
  ]
  return parts.length === 0 ? [{ content }] : parts
}

/** The last three are members of a message that nothing depends on. */
const CHUNK_MEMBERS = ['content', 'reasoning_content', 'tool_calls', 'role', 'refusal', 'annotations']
const ENTRY_MEMBERS = ['chunks', 'error', ...CHUNK_MEMBERS]
const CALL_MEMBERS = ['id', 'name', 'arguments', 'type', 'index']

function callsOf(message: PyDict): readonly ToolCallDelta[] | null {
  const calls = message.get('tool_calls')
  return isList(calls) ? calls.filter(isDict).map(deltaOf) : null
}

function chunkOf(chunk: PyValue): ReplyChunk {
  if (!isDict(chunk)) throw new InputError('input.completions', 'A chunk must be a text or a map.')
  const delta = withoutChoices(chunk)
  refuseUnknown(delta, CHUNK_MEMBERS, 'input.completions.chunks')
  return {
    content: optionalText(delta, 'content'),
    reasoning_content: optionalText(delta, 'reasoning_content'),
    tool_calls: callsOf(delta),
  }
}

function deltaOf(given: PyDict): ToolCallDelta {
  const call = withoutFunction(given)
  refuseUnknown(call, CALL_MEMBERS, 'tool_calls')
  return {
    id: optionalText(call, 'id'),
    function: { name: optionalText(call, 'name'), arguments: optionalText(call, 'arguments') },
  }
}

function joined(chunks: readonly ReplyChunk[]): ReplyChunk {
  const reasoning = chunks.map((chunk) => chunk.reasoning_content ?? '').join('')
  return {
    content: chunks.map((chunk) => chunk.content ?? '').join(''),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
  }
}

function withExtra(message: Message, extra: PyDict | null): Message {
  return extra === null ? message : { ...message, extra: new Map([...(message.extra ?? []), ...extra]) }
}
