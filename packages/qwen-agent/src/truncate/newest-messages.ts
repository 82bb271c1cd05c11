import type { Message } from '@callspec/core/qwen-agent'
import { Raise } from '@callspec/python'
import { mustStartWithUser, rejectEmpty, rejectSecondSystem, tooLong } from './checks.ts'
import { countTokens, cutMessage } from './tokens.ts'
import type { TruncateMessagesOptions } from './tokens.ts'

/**
 * Keeps messages from the newest to the oldest while they fit; the first user message that does not fit is cut
 * (spec §9.2). From v0.0.20 a tool result that does not fit is cut too.
 *
 * @throws Raise for two system messages, for lists that do not begin with a user, and when nothing could be kept
 */
export function keepNewestMessages(messages: readonly Message[], options: TruncateMessagesOptions): readonly Message[] {
  const { maxTokens, profile } = options
  const systemMayBeAbsent = profile.truncation === 'messages-and-results-from-newest'
  if (!systemMayBeAbsent) {
    rejectEmpty(messages)
    if (messages[0]?.role !== 'system') throw new Raise('AssertionError', '')
  }
  rejectSecondSystem(messages)
  const rest = messages.filter((message) => message.role !== 'system')
  if (rest.length > 0 && rest[0]?.role !== 'user') throw mustStartWithUser()
  // As in the reference: a system message further down is dropped.
  const system = messages[0]?.role === 'system' ? messages[0] : null
  const systemTokens = system === null ? 0 : countTokens(system, options)
  const { kept, overflow } = keepFitting(messages, maxTokens - systemTokens, options)
  if (kept.length === 0) {
    // As in the reference: nothing is counted unless a message was too long, and one that nobody tries to cut.
    throw tooLong({ maxTokens, systemMayBeAbsent }, overflow === null ? 0 : systemTokens + overflow)
  }
  return system === null ? kept : [system, ...kept]
}

interface Fitting {
  readonly kept: readonly Message[]
  /** The tokens of the message that did not fit and could not have been cut, if there was one. */
  readonly overflow: number | null
}

function keepFitting(messages: readonly Message[], budget: number, options: TruncateMessagesOptions): Fitting {
  const { tokenizer, profile } = options
  const cutsResults = profile.truncation === 'messages-and-results-from-newest'
  const newestFirst: Message[] = []
  let left = budget
  for (const [index, message] of [...messages.entries()].reverse()) {
    if (message.role === 'system') continue
    const tokens = countTokens(message, options)
    if (tokens <= left) {
      newestFirst.push(message)
      left -= tokens
      continue
    }
    const isResult = cutsResults && message.role === 'function'
    if (!isResult && (message.role !== 'user' || index === messages.length - 1)) {
      return { kept: newestFirst.reverse(), overflow: tokens }
    }
    const cut = cutMessage(message, left, { tokenizer, profile, keepBothSides: isResult })
    if (cut !== null) newestFirst.push(cut)
    // As in the reference: a cut result fills what was left, and yet leaves the budget as it was.
    if (!isResult || cut === null) break
  }
  return { kept: newestFirst.reverse(), overflow: null }
}
