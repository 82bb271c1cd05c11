import type { ApiLaw } from './laws.ts'

/**
 * What the makers' JavaScript clients do where a law is broken and they read something else than was sent, or raise. Measured with
 * `openai` 6.49.0 and `@anthropic-ai/sdk` 1.12.0 on one broken reply per entry; where none is named, they read the reply as it was meant,
 * or pass it on as it is. C16, M17 and R17: `openai` 7.59.0, `@anthropic-ai/sdk` 1.14.0.
 */
export const CLIENT_NOTES: Readonly<Partial<Record<ApiLaw, string>>> = {
  C1: 'openai raises "missing role for choice 0"',
  C3: 'openai drops calls without an index, and glues together the arguments of calls with the same one',
  C4: 'openai makes up an id, and gives a call without a name',
  C5: 'openai takes the last id',
  C6: 'openai raises a TypeError at an index that starts at 1 or skips',
  C7: 'openai raises "missing finish_reason for choice 0" if none comes',
  C10: 'openai gives arguments as they came, and "[object Object]" for an object',
  C13: 'openai raises at the error, and does not see what follows',
  C16: 'openai raises at it, and does not give the rest',
  M1: '@anthropic-ai/sdk raises without a first message_start and at a second one; a content that is a text is lost',
  M2: '@anthropic-ai/sdk raises at a delta without a start, and loses text and input of blocks with a strange index',
  M4: '@anthropic-ai/sdk drops the delta: a call ends with the input {}',
  M6: '@anthropic-ai/sdk raises at input that is not JSON',
  M8: '@anthropic-ai/sdk gives stop_reason null',
  M9: '@anthropic-ai/sdk raises if message_stop is missing',
  M10: '@anthropic-ai/sdk reads nothing without names of events',
  M12: '@anthropic-ai/sdk raises a TypeError without usage',
  M14: '@anthropic-ai/sdk raises at the error, and does not see what follows',
  M17: '@anthropic-ai/sdk raises at it, and does not give the rest',
  R1: 'openai raises if response.created is not first, and does not look at sequence numbers',
  R2: 'openai raises "missing output at index …"',
  R5: 'openai raises "missing content at index 0" without an added part',
  R6: 'openai believes the terminal event, whatever the deltas were',
  R8: 'openai gives the status in_progress if no terminal event comes',
  R9: 'openai takes a reply that was cut for a complete one',
  R10: 'openai takes the call_id of the terminal event',
  R14: 'openai believes the terminal event: a call that it lacks is lost',
  R17: 'openai raises at it, and does not give the rest',
}
