/** The parts of an error that may quote a reply. */
export interface ServerWords {
  /** Machine-readable, such as `tool_use_failed`. */
  readonly code: string
  readonly message: string
  /** `failed_generation`, or empty. */
  readonly generation: string
}

/**
 * The text of the model where a server reports that it cannot read the calls of its own model: as much as the message quotes, possibly
 * nothing. Null for any other error.
 */
export function unparsedText(words: ServerWords): string | null {
  for (const { text } of REFUSALS) {
    const found = text(words)
    if (found !== null) return found
  }
  return null
}

/** The message of one engine; `text` returns the part of the reply that it quotes. */
interface Refusal {
  readonly engine: string
  readonly text: (words: ServerWords) => string | null
}

/** All known messages. They are literal texts of the engines, so that a refused template or prompt is not mistaken for a reply. */
export const REFUSALS: readonly Refusal[] = [
  // The rest of the reply from the position where reading ended; older builds send only the position.
  { engine: 'llama.cpp', text: ({ message }) => afterMark(message, 'Failed to parse input at pos ', /^\d+(?:: )?/) },
  // Arguments of the model that are sent back in the history; older builds report it for the reply itself.
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

/** Messages that quote nothing, or only a part that is cut off. */
function saying(pattern: RegExp): Refusal['text'] {
  return ({ message }) => (pattern.test(message.slice(0, LONGEST_BEGINNING)) ? '' : null)
}

/** The known texts are at the beginning of a message. */
const LONGEST_BEGINNING = 2000

/** The text after a mark and after the match of `skip` that follows it. */
function afterMark(message: string, mark: string, skip: RegExp): string | null {
  const at = message.indexOf(mark)
  if (at < 0 || at > LONGEST_BEGINNING) return null
  const rest = message.slice(at + mark.length)
  const [skipped = null] = skip.exec(rest) ?? []
  return skipped === null ? null : rest.slice(skipped.length)
}

/** The text between a mark and the last closing one. */
function between(message: string, open: string, close: string): string | null {
  const at = message.indexOf(open)
  if (at < 0 || at > LONGEST_BEGINNING) return null
  const end = message.lastIndexOf(close)
  return message.slice(at + open.length, end < at + open.length ? undefined : end)
}
