/** How every request to a model is made; decides, with the prompt, what is asked. */
export interface RequestSettings {
  /** What the server is asked for; reports may call the model otherwise. */
  readonly name: string
  /** Further fields of every request, such as `temperature`; they win over those of the host. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** Whether the stop words of the protocol are sent. */
  readonly stops: 'on' | 'off'
  /** Messages, or the whole prompt as one text. */
  readonly api: 'chat' | 'completions'
}

/** A model that is asked as the protocols ask by themselves. */
export function plainSettings(name: string): RequestSettings {
  return { name, parameters: {}, stops: 'on', api: 'chat' }
}

/** The fields of a request beside its prompt. */
export function parametersOf(
  host: Readonly<Record<string, unknown>>,
  { parameters, stops }: RequestSettings,
): Readonly<Record<string, unknown>> {
  const { stop, ...rest } = host
  return { ...rest, ...(stops === 'off' || stop === undefined ? {} : { stop }), ...parameters }
}
