/** What rates are taken of. */
export type Unit = 'conversations' | 'all turns' | 'turns' | 'calls' | 'replies' | 'messages' | 'thoughts'

/** What can be wrong with a conversation under a template. */
export type DatasetRule =
  | 'refused'
  | 'prompt-refused'
  | 'prompt-not-prefix'
  | 'call-not-read'
  | 'reply-not-same'
  | 'message-lost'
  | 'reasoning-lost'

/** Of what each rule's rate is taken, and what it says. */
export const DATASET_RULES: Readonly<Record<DatasetRule, { readonly of: Unit; readonly about: string }>> = {
  refused: { of: 'conversations', about: 'the template refuses the conversation' },
  'prompt-refused': { of: 'turns', about: 'the template refuses the prompt of a turn' },
  'prompt-not-prefix': { of: 'turns', about: 'the prompt of a turn is no beginning of the whole conversation' },
  'call-not-read': { of: 'calls', about: 'no format reads the call as it was made' },
  'reply-not-same': { of: 'replies', about: 'what was read from the replies renders to other bytes' },
  'message-lost': { of: 'messages', about: 'nothing of the message is in the prompt' },
  'reasoning-lost': { of: 'thoughts', about: 'what the model thought is not in the prompt' },
}

/** One thing that is wrong with one conversation. */
export interface DatasetFinding {
  readonly rule: DatasetRule
  /** `FILE:LINE`. */
  readonly where: string
  /** Index of the message; null for the conversation as a whole. */
  readonly message: number | null
  /** In one line. */
  readonly detail: string
}

/** Where findings go, and what was looked at. */
export interface Tally {
  saw(unit: Unit, count?: number): void
  found(finding: DatasetFinding): void
}
