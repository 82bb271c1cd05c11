/** How every request to a model is made; decides, with the prompt, what is asked. */
export interface RequestSettings {
  /** What the server is asked for; reports may call the model otherwise. */
  readonly name: string
  /** Further fields of every request, such as `temperature`; they win over those of the host. */
  readonly parameters: Readonly<Record<string, unknown>>
  /**
   * Whether the stop words of the format are sent. Without, a result that the model invents is in the trace, where
   * the server would have cut it off; the host gets the text cut at them in any case, as the reference does it.
   */
  readonly stops: 'on' | 'off'
  /**
   * Messages, or the whole prompt as one ChatML text, so that its bytes are ours. Not for a host that sends tools as such:
   * the server would have to write them into the prompt.
   */
  readonly api: 'chat' | 'completions'
  /** Whose prompt a format with one is asked by, see `PromptChoice`. Absent: the maker's. */
  readonly prompt?: PromptChoice
}

/**
 * The prompt of the format's maker, or the one with the tools in the system text, see `toolsInSystem` of core. Formats that
 * have a host of their own have one prompt.
 */
export type PromptChoice = 'maker' | 'callspec'

/** What ends a turn in ChatML: no stop word of a format, so it is sent with every text in any case. */
export const END_MARK = '<|im_end|>'

/** A model that is asked as the formats ask by themselves. */
export function plainSettings(name: string): RequestSettings {
  return { name, parameters: {}, stops: 'on', api: 'chat' }
}

/** How many tokens a reply may have; null where the request does not say. */
export function maxTokensOf(parameters: Readonly<Record<string, unknown>>): number | null {
  const limit = parameters['max_completion_tokens'] ?? parameters['max_tokens']
  return typeof limit === 'number' ? limit : null
}

/** The fields of a request except its prompt, and the stop words among them that are the format's. */
export interface RequestFields {
  readonly parameters: Readonly<Record<string, unknown>>
  readonly stop: readonly string[]
}

/**
 * The fields that a host asks with, under the settings. Stop words of both are sent.
 *
 * @param endMarks what ends a turn; sent in any case
 */
export function parametersOf(
  { stop: words, ...host }: Readonly<Record<string, unknown>>,
  { parameters, stops }: RequestSettings,
  endMarks: readonly string[],
): RequestFields {
  const ofFormat = stops === 'off' ? [] : texts(words)
  const sent = new Set([...ofFormat, ...texts(parameters['stop']), ...endMarks])
  const stop = sent.size === 0 ? {} : { stop: [...sent] }
  return { parameters: { ...host, ...parameters, ...stop }, stop: ofFormat }
}

function texts(given: unknown): readonly string[] {
  return [given ?? []].flat().filter((word) => typeof word === 'string')
}
