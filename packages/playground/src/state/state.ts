/** The sides of the playground. */
export const PANELS = ['reply', 'prompt', 'template'] as const

/** One of `PANELS`. */
export type Panel = (typeof PANELS)[number]

/** How a reply is read. */
export interface ReplyChoice {
  /** Id of a format; empty for the one that the reply is in. */
  readonly format: string
  /** Empty for `strict`, or the format's first one where it has no such version. */
  readonly version: string
  /** Whether all calls of the reply count, where a format counts only the first. */
  readonly parallelCalls: boolean
  /** Whether the prompt had already opened a thought. */
  readonly thoughtInContent: boolean
}

/** Whose prompt is written. */
export interface PromptChoice {
  readonly format: string
  /** Empty for the format's first one. */
  readonly version: string
}

/** Everything that a link carries: what was pasted, and what was chosen. */
export interface PlaygroundState {
  readonly panel: Panel
  /** What a model wrote. */
  readonly reply: string
  readonly reading: ReplyChoice
  /** How much of the reply has arrived, in UTF-16 units; null for all of it. */
  readonly cut: number | null
  /** JSON5: a list of tools. All sides use them. */
  readonly tools: string
  /** JSON5: a list of messages, or an object with `messages` and what else a request has. */
  readonly conversation: string
  readonly prompt: PromptChoice
  /** A chat template. */
  readonly template: string
}

/** Nothing pasted yet. */
export const EMPTY: PlaygroundState = {
  panel: 'reply',
  reply: '',
  reading: { format: '', version: '', parallelCalls: false, thoughtInContent: false },
  cut: null,
  tools: '',
  conversation: '',
  prompt: { format: '', version: '' },
  template: '',
}

/** A state from data of a stranger: members of another kind are as in `EMPTY`. Null for what is no object. */
export function stateFrom(data: unknown): PlaygroundState | null {
  if (!isRecord(data)) return null
  const reading = isRecord(data['reading']) ? data['reading'] : {}
  const prompt = isRecord(data['prompt']) ? data['prompt'] : {}
  const { cut } = data
  return {
    panel: PANELS.find((panel) => panel === data['panel']) ?? EMPTY.panel,
    reply: textOf(data['reply']),
    reading: {
      format: textOf(reading['format']),
      version: textOf(reading['version']),
      parallelCalls: reading['parallelCalls'] === true,
      thoughtInContent: reading['thoughtInContent'] === true,
    },
    cut: typeof cut === 'number' && Number.isInteger(cut) && cut >= 0 ? cut : null,
    tools: textOf(data['tools']),
    conversation: textOf(data['conversation']),
    prompt: { format: textOf(prompt['format']), version: textOf(prompt['version']) },
    template: textOf(data['template']),
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
