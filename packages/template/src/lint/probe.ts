/** A value of JSON, in the order of its keys. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** One message of a conversation, as the OpenAI API has it. */
export interface Message {
  readonly role: string
  readonly content?: Json
  readonly [key: string]: Json | undefined
}

/** One conversation that a template is shown. */
export interface Probe {
  /** Stands for the conversation in findings: `parallel-calls`. */
  readonly id: string
  readonly messages: readonly Message[]
  /** Null for a conversation without tools. */
  readonly tools: readonly Json[] | null
  /** Default true. */
  readonly generationPrompt?: boolean
  /** Further variables of the template. */
  readonly variables?: { readonly [name: string]: Json }
  /** What the clock shows, unless it is that of all probes. */
  readonly now?: Date
}

/** The variables of a rendering, without those that the tokenizer gives. */
export function variablesOf({ messages, tools, generationPrompt = true, variables = {} }: Probe): {
  readonly [name: string]: Json
} {
  return { messages: messages as unknown as Json, tools, add_generation_prompt: generationPrompt, ...variables }
}
