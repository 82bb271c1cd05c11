import type { Completion } from '../trace/completion.ts'
import { finishOf } from '../trace/completion.ts'

/** A reply with the tokens that its server counted. */
export type CountedReply = Pick<Completion, 'text' | 'reasoning' | 'toolCalls' | 'usage' | 'finishReason'> & {
  readonly warnings: readonly string[]
}

/** A reply of which less arrived than was counted. */
export interface Swallowed {
  /** Tokens that the server counted, without those that it counted as a thought. */
  readonly counted: number
  /** More tokens than any tokenizer makes of what arrived. */
  readonly most: number
  /** UTF-16 units that arrived; 0 where nothing did. */
  readonly arrived: number
}

/** What a format puts round a call, generously. */
const ROUND_A_CALL = 24
/** End marks, stop words and the marks of an empty thought, which are counted and never arrive. */
const ROUND_A_REPLY = 8

/** The tokens that a server counted for what should have arrived as text and calls; 0 where it reports none. */
export function countedTokens({ usage }: Pick<CountedReply, 'usage'>): number {
  return (usage?.completion ?? 0) - (usage?.reasoning ?? 0)
}

/** More tokens than any tokenizer makes of what arrived: two characters each, or one and a half of them for one that is not ASCII. */
export function mostTokens({
  text,
  reasoning,
  toolCalls,
  usage,
}: Pick<CountedReply, 'text' | 'reasoning' | 'toolCalls' | 'usage'>): number {
  const thought = usage?.reasoning === undefined ? reasoning : ''
  const parts = [text, thought, ...toolCalls.flatMap((call) => [call.name, call.arguments])]
  return Math.ceil(parts.reduce((sum, part) => sum + mostIn(part), 0)) + ROUND_A_CALL * toolCalls.length
}

/** Two characters make a token at least, or one and a half tokens one that is not ASCII. */
function mostIn(text: string): number {
  let others = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code > 127 && !(code >= 0xdc00 && code < 0xe000)) others += 1
  }
  return (text.length - others) / 2 + others * 1.5
}

/**
 * What shows that a part of a reply did not arrive: the server counted more tokens than what arrived can take. That proves that
 * text was lost, and not that it was a call: some servers hide a thought and count it without saying so, and some make their
 * counts up. Null where nothing shows it, and for a reply that was cut off at its limit of tokens.
 */
export function swallowedIn(reply: CountedReply): Swallowed | null {
  // Counts of several choices are added up.
  if (reply.usage === null || finishOf(reply.finishReason) === 'length' || reply.warnings.includes('several-choices'))
    return null
  const [counted, most] = [countedTokens(reply), mostTokens(reply)]
  if (counted <= most + ROUND_A_REPLY) return null
  const blank = `${reply.text}${reply.reasoning}`.trim() === '' && reply.toolCalls.length === 0
  return { counted, most, arrived: blank ? 0 : arrivedIn(reply) }
}

/** `23 tokens were counted, and the 12 characters that arrived take 6 at most`. */
export function swallowedText({ counted, most, arrived }: Swallowed): string {
  return arrived === 0
    ? `the reply is empty, although ${counted} tokens were counted`
    : `${counted} tokens were counted, and the ${arrived} characters that arrived take ${most} at most`
}

/** Watches whether counts of tokens can prove that something was lost. Keeps a few numbers, however many replies there are. */
export interface CountWatch {
  /** @param isWhole whether the reply lacks nothing, as far as anybody can say: its call arrived, or no call was asked for */
  add(reply: CountedReply, isWhole: boolean): void
  /**
   * Whether whole replies count too many tokens as well, or replies of all sizes always as many: then the server hides thoughts, or
   * makes its counts up.
   */
  provesNothing(): boolean
}

/** A watch that has seen no reply. */
export function createCountWatch(): CountWatch {
  let [hidesThoughts, replies] = [false, 0]
  let [shortest, longest] = [Infinity, 0]
  let count: number | 'several' | null = null
  return {
    add: (reply, isWhole) => {
      if (reply.usage === null) return
      if (isWhole && swallowedIn(reply) !== null) hidesThoughts = true
      replies += 1
      const { completion } = reply.usage
      count = count === null || count === completion ? completion : 'several'
      const size = arrivedIn(reply)
      shortest = Math.min(shortest, size)
      longest = Math.max(longest, size)
    },
    provesNothing: () => {
      const isMadeUp = count !== 'several' && replies >= TOO_ALIKE && longest > 2 * shortest + UNLIKE
      return hidesThoughts || isMadeUp
    },
  }
}

/**
 * Whether counts of tokens prove nothing, as `CountWatch` says.
 *
 * @param whole replies that lack nothing; one that says the same as a doubtful one is doubtful, too
 */
export function countsProveNothing(whole: readonly CountedReply[], doubtful: readonly CountedReply[]): boolean {
  const said = new Set(doubtful.map(({ text }) => text))
  const watch = createCountWatch()
  for (const reply of whole) watch.add(reply, !said.has(reply.text))
  for (const reply of doubtful) watch.add(reply, false)
  return watch.provesNothing()
}

/** So many replies of one count are no accident. */
const TOO_ALIKE = 4
/** Units by which a reply must be longer than twice another one, for an equal count of both to be made up. */
const UNLIKE = 16

function arrivedIn({ text, reasoning, toolCalls }: Pick<CountedReply, 'text' | 'reasoning' | 'toolCalls'>): number {
  return toolCalls.reduce((sum, call) => sum + call.name.length + call.arguments.length, text.length + reasoning.length)
}
