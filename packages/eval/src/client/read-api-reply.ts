import { createEventReader, createReplyReader, NoReply, projected, readReply } from '@callspec/apis'
import type { Api, ApiReply, SentEvent } from '@callspec/apis'
import { excerpt } from '../text/excerpt.ts'
import type { Completion, ReplyWarning, Usage } from '../trace/completion.ts'
import { CompletionError, infraError, serverSaid } from './failure.ts'
import type { ReadOptions } from './read-reply.ts'
import { tooLate } from './read-reply.ts'
import { bodyText, MAX_REPLY_BYTES } from './sender.ts'

/** Whether a call is left in a text is judged later, with the format and its tools. */
const UNJUDGED = { holdsCall: (): boolean => false }

/**
 * The reply in a response of `/messages` or `/responses` with a good status, streamed or whole.
 *
 * @throws CompletionError as `readReply` does for chat completions
 */
export async function readApiReply(
  response: Response,
  api: Exclude<Api, 'chat'>,
  options: ReadOptions & { readonly limit: number | null },
): Promise<Completion> {
  const isStream = (response.headers.get('content-type') ?? '').includes('event-stream')
  const read = isStream ? await readEvents(response, api, options) : await readBody(response, api, options)
  const { reply, late } = read
  const { limit, stream: wanted } = options
  const completion = completionOf(reply, { isStream, ms: Math.round(options.elapsed()), wanted, limit })
  if (late !== null) throw new CompletionError(late.failure, { isRetryable: late.isRetryable, partial: completion })
  if (reply.error !== null)
    throw serverSaid({ status: null, headers: undefined, code: '', message: reply.error, generation: '' })
  if (reply.finish === null) throw infraError('the reply ended before it was complete', true)
  return completion
}

interface ReadApiReply {
  readonly reply: ApiReply
  /** Why reading ended before the reply did, or null. */
  readonly late: CompletionError | null
}

async function readBody(
  response: Response,
  api: Exclude<Api, 'chat'>,
  { onEvent }: ReadOptions,
): Promise<ReadApiReply> {
  const text = await bodyText(response)
  if (text.trim() === '') throw infraError('the server sent an empty response', true, response.status)
  try {
    const reply = readReply(text, api, UNJUDGED)
    onEvent?.({ name: '', data: text })
    if (reply.items.length > 0 || reply.finish !== null || reply.error !== null) return { reply, late: null }
  } catch (error) {
    if (!(error instanceof NoReply)) throw error
  }
  throw infraError(`the response is no reply of ${api}: ${excerpt(text)}`, false, response.status)
}

/** A delta brings content; its time tells whether the reply still grew at the deadline. */
const BRINGS_CONTENT = /"type"\s*:\s*"(?:content_block_delta|response\.[a-z_.]+\.delta)"/

async function readEvents(
  response: Response,
  api: Exclude<Api, 'chat'>,
  { onEvent, elapsed, signal, timeoutMs }: ReadOptions,
): Promise<ReadApiReply> {
  const [events, reader] = [createEventReader(), createReplyReader(api, UNJUDGED)]
  let [bytes, count, lastContentMs] = [0, 0, 0]
  const take = (sent: readonly SentEvent[]): void => {
    for (const event of sent) {
      if (event.data === '') continue
      count += 1
      if (BRINGS_CONTENT.test(event.data.slice(0, TYPE_WITHIN))) lastContentMs = elapsed()
      reader.add(event)
      onEvent?.(event)
    }
  }
  let late: CompletionError | null = null
  try {
    const stream: ReadableStream<Uint8Array> | null = response.body
    for await (const part of stream ?? []) {
      bytes += part.byteLength
      if (bytes > MAX_REPLY_BYTES) {
        late = neverEnds('the reply is too large')
        break
      }
      take(events.push(part))
    }
    if (late === null) take(events.end())
  } catch (error) {
    if (error instanceof RangeError) late = neverEnds(error.message)
    else if (signal?.aborted === true && lastContentMs > 0) late = tooLate(elapsed() - lastContentMs, timeoutMs)
    else throw error
  }
  if (count === 0) throw infraError('the stream held no reply', true, 200)
  return { reply: reader.end(), late }
}

/** Members before the type are short. */
const TYPE_WITHIN = 400

function neverEnds(message: string): CompletionError {
  return new CompletionError({ kind: 'never-ends', status: 200, message }, { isRetryable: false })
}

interface Facts {
  readonly isStream: boolean
  readonly wanted: boolean
  readonly ms: number
  /** The most tokens of a reply that were asked for. */
  readonly limit: number | null
}

function completionOf(reply: ApiReply, { isStream, wanted, ms, limit }: Facts): Completion {
  const { reasoning, text, calls } = projected(reply.items)
  // Chat has one word for both.
  const word = reply.finish === 'stop_sequence' ? 'stop' : reply.finish
  // llama-server calls every reply of responses completed: one that has all tokens it may have was cut.
  const isCut = limit !== null && word !== null && (reply.usage?.output ?? 0) >= limit
  const finishReason = isCut ? 'length' : word
  const warnings: readonly (readonly [ReplyWarning, boolean])[] = [
    ['streamed', isStream && !wanted],
    ['not-streamed', !isStream && wanted],
    ['no-finish-reason', reply.finish === null],
    ['no-tool-calls', reply.finish === 'tool_calls' && calls.length === 0],
    ['no-call-id', new Set(calls.map(({ id }) => id)).size < calls.length || calls.some(({ id }) => id === '')],
  ]
  return {
    ...{ id: reply.id ?? '', text, reasoning, finishReason, usage: usageOf(reply), ms, cached: false },
    ...(reply.model === null ? {} : { servedModel: reply.model.slice(0, MAX_NAME) }),
    toolCalls: calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
    warnings: warnings.flatMap(([warning, holds]) => (holds ? [warning] : [])),
  }
}

const MAX_NAME = 200

function usageOf({ usage, parts: { cached, reasoning } }: ApiReply): Usage | null {
  if (usage === null) return null
  return {
    ...{ prompt: usage.input ?? 0, completion: usage.output ?? 0 },
    ...(reasoning === null ? {} : { reasoning }),
    ...(cached === null ? {} : { cached }),
  }
}
