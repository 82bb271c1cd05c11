/** An API in which a server answers: `/v1/chat/completions`, `/v1/messages`, `/v1/responses`. */
export type Api = 'chat' | 'messages' | 'responses'

/** The APIs, in the order in which tables show them. */
export const APIS: readonly Api[] = ['chat', 'messages', 'responses']

/** Their paths below the base URL, which ends with `/v1`. */
export const API_PATHS: Readonly<Record<Api, string>> = {
  chat: '/chat/completions',
  messages: '/messages',
  responses: '/responses',
}

/**
 * What a reply must hold to: C for chat, M for messages, R for responses. Each is checked on one transcript, whole or streamed.
 * The clients of an API join events by these laws, and most of them do not check any.
 */
export const API_LAWS = {
  C1: 'the first chunk says role: assistant',
  C2: 'id, model, created and object are the same in all chunks',
  C3: 'every delta of a call has an integer index, and different calls have different ones',
  C4: 'every call begins with its id and its name',
  C5: 'later deltas of a call bring neither another id nor the name again',
  C6: 'the indices of calls are 0, 1, 2 in order of appearance',
  C7: 'there is exactly one finish reason, and no delta behind it',
  C8: '[DONE] ends the stream',
  C9: 'the finish reason is tool_calls exactly where there are calls',
  C10: 'the arguments of a call are a text that is one JSON object',
  C11: 'the chunk with the usage has no choices',
  C12: 'no call is left in the content',
  C13: 'an error in the stream is one event and the last',
  C14: 'no piece cuts a character in half',
  C15: 'no two calls have the same id',
  C16: 'every event is a JSON object',
  C17: 'no text has U+FFFD, which servers write for half a character',
  M1: 'one message_start comes first, with an empty list of blocks and no stop reason; content is a list',
  M2: 'every block has one start, its deltas and one stop, and the indices are 0, 1, 2 without a gap',
  M3: 'one block is open at a time',
  M4: 'deltas are of the kind of their block',
  M5: 'a tool_use block starts with id, name and an empty input',
  M6: 'the input of a call is one JSON object',
  M7: 'a thinking block has a signature before its stop',
  M8: 'there is one message_delta with a stop reason, behind all blocks',
  M9: 'message_stop is the last event',
  M10: 'the name of an event is the type in its data',
  M11: 'the stop reason is a word of the API, and fits the blocks and the stop sequence',
  M12: 'message_start has the usage of the input, message_delta that of the output',
  M14: 'nothing follows an error',
  M15: 'there is no [DONE]',
  M16: 'no two calls have the same id',
  M17: 'every event is a JSON object',
  M18: 'no call is left in a text block',
  M19: 'no text has U+FFFD, which servers write for half a character',
  R1: 'response.created comes first, and the sequence numbers are 0, 1, 2',
  R2: 'nothing of an item comes before its added event, and every event of it has its output_index',
  R3: 'each added item has one done event',
  R4: 'the id of an item is the same in all its events and in the final response',
  R5: 'a part is added, gets its deltas, its text is done, the part is done',
  R6: 'the deltas, the done event, the done item and the item of the final response agree',
  R7: 'a call is added with name, call_id and empty arguments, its arguments are text, and their done event comes',
  R8: 'one terminal event comes last',
  R9: 'terminal event, status and incomplete_details agree, and fit whether the reply was cut',
  R10: 'every call has a call_id that stays the same and is its own',
  R11: 'the name of an event is the type in its data',
  R12: 'no event of an item comes behind its done event',
  R13: 'reasoning comes as reasoning events',
  R14: 'the final output has the streamed items in their order, in the shapes of the API',
  R15: 'the terminal event has the usage',
  R16: 'the id of the response stays the same',
  R17: 'every event is a JSON object',
  R18: 'no call is left in a text',
  R19: 'no text has U+FFFD, which servers write for half a character',
} as const

/** One of `API_LAWS`. */
export type ApiLaw = keyof typeof API_LAWS

/** Laws whose breach is no fault of a reply: every client in use ignores `[DONE]`, and a model may write U+FFFD itself. */
export const TOLERATED: ReadonlySet<ApiLaw> = new Set(['C17', 'M15', 'M19', 'R19'])
