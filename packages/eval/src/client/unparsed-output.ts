/** What a server says instead of a reply, as far as it may hold one. */
export interface ServerWords {
  /** Machine-readable words, such as `tool_use_failed`. */
  readonly code: string
  readonly message: string
  /** What the server gives as `failed_generation`; empty where it has no such thing. */
  readonly generation: string
}

/**
 * What the model had written when a server reports that it cannot read the calls of its own model: as much as the message
 * quotes, perhaps nothing. Null for any other error.
 */
export function unparsedText(words: ServerWords): string | null {
  for (const { text } of REFUSALS) {
    const found = text(words)
    if (found !== null) return found
  }
  return null
}

/** How one engine says it; `text` gives what the message quotes of the reply. */
interface Refusal {
  readonly engine: string
  readonly text: (words: ServerWords) => string | null
}

/** Every way that is known. Literal texts of the engines, so that a template or a prompt that is refused is not taken for a reply. */
export const REFUSALS: readonly Refusal[] = [
  // The rest of the reply from the place on where the reading ended; older builds give only the place.
  { engine: 'llama.cpp', text: ({ message }) => behind(message, 'Failed to parse input at pos ', /^\d+(?:: )?/) },
  // Arguments that the model wrote, when they come back in the history; older builds say it of the reply itself.
  { engine: 'llama.cpp', text: saying(/Failed to parse tool call arguments as JSON/) },
  { engine: 'Ollama', text: ({ message }) => between(message, "error parsing tool call: raw='", "', err=") },
  { engine: 'Ollama', text: saying(/error parsing tool call|XML syntax error on line \d+/) },
  { engine: 'Groq', text: ({ code, generation }) => (/\btool_use_failed\b/.test(code) ? generation : null) },
  {
    engine: 'vLLM, SGLang and LMDeploy with gpt-oss',
    text: saying(
      /unexpected tokens remaining in message header|Unexpected token \d+ while expecting start token|channel marker present but no channel value/,
    ),
  },
  { engine: 'vLLM with tool_choice', text: saying(/validation errors? for list\[function-wrap\[/) },
  { engine: 'SGLang', text: saying(/Failed to parse fc related info to json format/) },
  { engine: 'TGI', text: saying(/Failed to parse generated text/) },
  { engine: 'LM Studio', text: saying(/Failed to parse tool call: /) },
  { engine: 'OpenAI', text: saying(/The model produced invalid content/) },
]

/** The quotation is cut off at one place or not there at all: then nothing of the reply is known. */
function saying(pattern: RegExp): Refusal['text'] {
  return ({ message }) => (pattern.test(message.slice(0, LONGEST_BEGINNING)) ? '' : null)
}

/** Such a message begins with what it has to say. */
const LONGEST_BEGINNING = 2000

/** What follows a mark and what `skip` matches behind it. */
function behind(message: string, mark: string, skip: RegExp): string | null {
  const at = message.indexOf(mark)
  if (at < 0 || at > LONGEST_BEGINNING) return null
  const rest = message.slice(at + mark.length)
  const [skipped = null] = skip.exec(rest) ?? []
  return skipped === null ? null : rest.slice(skipped.length)
}

/** What stands between a mark and the last closing one. */
function between(message: string, open: string, close: string): string | null {
  const at = message.indexOf(open)
  if (at < 0 || at > LONGEST_BEGINNING) return null
  const end = message.lastIndexOf(close)
  return message.slice(at + open.length, end < at + open.length ? undefined : end)
}
