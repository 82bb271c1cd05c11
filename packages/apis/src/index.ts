/*
 * Replies of the chat, messages and responses APIs in one shape, whole and streamed, and the laws that they break.
 */
export { createEventReader, DONE, MAX_EVENT_UNITS } from './events.ts'
export type { EventReader, SentEvent } from './events.ts'
export { API_LAWS, API_PATHS, APIS, TOLERATED } from './laws.ts'
export type { Api, ApiLaw } from './laws.ts'
export type { ApiBreach } from './breaches.ts'
export { isOfCalls } from './chat-choice.ts'
export { apiOf, createReplyReader, eventsOf, NoReply, readReply } from './read-reply.ts'
export type { ReplyReader } from './chat.ts'
export { projected } from './reply.ts'
export type { ApiItem, ApiReply, ApiUsage, ProjectedReply, ReplyOptions, UsageParts } from './reply.ts'
export { readRequest } from './request.ts'
export type { ApiMessage, ApiRequest, ApiTool, HistoryCall } from './request.ts'
export { writeRequest } from './write-request.ts'
export type { RequestHead } from './write-request.ts'
export { CLIENT_NOTES } from './clients.ts'
