/** Why a reply ended, in the words of the OpenAI API. `unknown`: the server does not say, or says something unheard of. */
export type Finish = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'unknown'

const SPELLINGS: ReadonlyMap<string, Finish> = new Map([
  ['stop', 'stop'],
  ['eos', 'stop'],
  ['eos_token', 'stop'],
  ['stop_sequence', 'stop'],
  ['end_turn', 'stop'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['tool_call', 'tool_calls'],
  ['tool_use', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['content_filter', 'content_filter'],
  ['safety', 'content_filter'],
])

/** What a server's finish reason means: servers spell the same thing in several ways, or leave it out. */
export function finishOf(raw: string | null): Finish {
  return SPELLINGS.get(raw?.trim().toLowerCase() ?? '') ?? 'unknown'
}
