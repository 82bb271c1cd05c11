import type { PyDict } from '@callspec/python'
import type { ReplyReader } from './chat.ts'
import { createChatReader, readChat } from './chat.ts'
import type { SentEvent } from './events.ts'
import { createEventReader, dictOf, textOr } from './events.ts'
import type { Api } from './laws.ts'
import { createMessagesReader, readMessages } from './messages.ts'
import type { ApiReply, ReplyOptions } from './reply.ts'
import { createResponsesReader, readResponses } from './responses.ts'

/** Reads the events of a stream as they arrive. */
export function createReplyReader(api: Api, options: ReplyOptions): ReplyReader {
  switch (api) {
    case 'chat':
      return createChatReader(options)
    case 'messages':
      return createMessagesReader(options)
    case 'responses':
      return createResponsesReader(options)
  }
}

/** A transcript that is neither JSON nor a stream of events. */
export class NoReply extends Error {}

/**
 * The events of a streamed transcript; none for a whole reply, which is a JSON map.
 *
 * @throws NoReply for another text, and for an event of more than 16 million units
 */
export function eventsOf(text: string): readonly SentEvent[] {
  if (wholeIn(text) !== null) return []
  const reader = createEventReader()
  try {
    const events = [...reader.push(new TextEncoder().encode(text)), ...reader.end()].filter(({ data }) => data !== '')
    if (events.length > 0) return events
  } catch (error) {
    if (error instanceof RangeError) throw new NoReply(error.message)
    throw error
  }
  throw new NoReply('it is neither a JSON map nor a stream of events')
}

/** A byte order mark may come first. */
function wholeIn(text: string): PyDict | null {
  return /^\ufeff?\s*\{/.test(text) ? dictOf(text.replace(/^\ufeff/, '')) : null
}

/** The API of a transcript, by the members that only it has; null if nothing tells. */
export function apiOf(text: string): Api | null {
  const first = wholeIn(text) ?? firstIn(text)
  const type = textOr(first?.get('type'))
  if (type.startsWith('response.') || first?.get('object') === 'response') return 'responses'
  if (['message', 'message_start', 'ping', 'error'].includes(type) || type.startsWith('content_block'))
    return 'messages'
  return Array.isArray(first?.get('choices')) ? 'chat' : null
}

function firstIn(text: string): PyDict | null {
  try {
    for (const { data } of eventsOf(text)) {
      const value = dictOf(data)
      if (value !== null) return value
    }
  } catch (error) {
    if (!(error instanceof NoReply)) throw error
  }
  return null
}

/**
 * Reads one transcript: a whole reply (a JSON map) or a stream of server-sent events.
 *
 * @throws NoReply for another text, and for an event of more than 16 million units
 */
export function readReply(text: string, api: Api, options: ReplyOptions): ApiReply {
  const body = wholeIn(text)
  if (body !== null) return readWhole(body, api, options)
  const reader = createReplyReader(api, options)
  for (const event of eventsOf(text)) reader.add(event)
  return reader.end()
}

function readWhole(body: PyDict, api: Api, options: ReplyOptions): ApiReply {
  switch (api) {
    case 'chat':
      return readChat(body, options)
    case 'messages':
      return readMessages(body, options)
    case 'responses':
      return readResponses(body, options)
  }
}
