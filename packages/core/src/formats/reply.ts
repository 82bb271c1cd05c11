import type { AssistantMessage, Issue, IssueCode, ParseOptions, ParseOutcome } from '../format.ts'
import { InputError, errorOf, Raise } from '@callspec/python'
import type { Message } from '../messages/message.ts'
import { profileNamed } from '../profile.ts'
import type { Profile, ProfileName } from '../profile.ts'
import { textOf } from '../messages/content-item.ts'
import { cutAtStopWord, cutPartialStopWord, partialStopWords } from '../stop-words.ts'
import { issueAt } from './issue.ts'
import type { Note } from './issue.ts'
import type { Span } from './span.ts'

/** What the reading of a reply needs to know about a format. */
export interface ReplyFormat {
  readonly id: string
  readonly stopWords: readonly string[]
  /** What is left of its stop words when their last token is missing. */
  readonly partialStopWords?: ReadonlyMap<string, string>
  readonly profiles: readonly ProfileName[]
  readonly defaultProfile: ProfileName
}

/** A reply that is being read: cut at stop words, with a place to note issues. */
export interface Reply {
  /** What is left after cutting; always a beginning of the text given. */
  readonly text: string
  readonly profile: Profile
  /** Takes down an issue. Spans are offsets into the text given. */
  readonly note: Note
}

/**
 * Reads a reply with `read`, which gives the reference's messages or raises, and turns both into an outcome.
 *
 * @throws InputError for a wrong option, never because of the text
 */
export function readReply(
  text: string,
  { format, options, read }: { format: ReplyFormat; options: ParseOptions; read: (reply: Reply) => readonly Message[] },
): ParseOutcome {
  if (typeof text !== 'string') throw new InputError('text', 'This is not a text. Give what the model wrote.')
  const profile = resolveProfile(options.profile, format)
  const issues: Issue[] = []
  const note = (code: IssueCode, span: Span): void => {
    issues.push(issueAt(format.id, code, text, span))
  }
  const kept = cutReply(text, { format, options, note })
  if (options.toolChoice === 'none') return parsed([{ role: 'assistant', content: kept }], issues)
  try {
    return parsed(read({ text: kept, profile, note }), issues)
  } catch (error) {
    if (!(error instanceof Raise)) throw error
    // Whoever raises because of a piece of text has noted it just before; an empty reply has no piece.
    const issue = issues.at(-1) ?? issueAt(format.id, 'empty-reply', text, { start: 0, end: text.length })
    return { kind: 'rejected', error: errorOf(error), issue }
  }
}

/** What the client hands over for a reply: from main on no message at all when nothing was written (spec Q1). */
export function replyMessages(text: string, profile: Profile): readonly Message[] {
  if (text !== '') return [{ role: 'assistant', content: [{ text }] }]
  if (profile.wire === 'merged') return []
  return [{ role: 'assistant', content: profile.emptyTextBecomes === 'no-items' ? [] : [{ text }] }]
}

/** The reference's name for a choice. */
export function choiceName(options: Pick<ParseOptions, 'toolChoice'>): string {
  const { toolChoice = 'auto' } = options
  return typeof toolChoice === 'string' ? toolChoice : toolChoice.name
}

/**
 * The profile that was asked for, or the format's default.
 *
 * @throws InputError for an unknown profile, and for one in which the format did not exist
 */
export function resolveProfile(
  asked: Profile | string | undefined,
  format: Pick<ReplyFormat, 'id' | 'profiles' | 'defaultProfile'>,
): Profile {
  const profile = typeof asked === 'object' ? asked : profileNamed(asked ?? format.defaultProfile)
  if (profile === null) {
    throw new InputError('profile', `Unknown profile "${String(asked)}". ${format.id} exists in: ${namesOf(format)}.`)
  }
  if (!format.profiles.includes(profile.name)) {
    throw new InputError('profile', `${format.id} does not exist in ${profile.name}. It exists in: ${namesOf(format)}.`)
  }
  return profile
}

function namesOf({ profiles }: Pick<ReplyFormat, 'profiles'>): string {
  return profiles.join(', ')
}

interface CutRequest {
  readonly format: ReplyFormat
  readonly options: ParseOptions
  readonly note: Note
}

function cutReply(text: string, { format, options, note }: CutRequest): string {
  const { stopWords, tokenizer } = options
  if (stopWords === undefined) return text
  const words = stopWords === 'default' ? format.stopWords : stopWords
  const cut = cutAtStopWord(text, words).text
  const kept = cutPartialStopWord(cut, partialStopWords(words, { partials: format.partialStopWords, tokenizer }))
  if (cut.length < text.length) note('stop-word-in-text', { start: cut.length, end: text.length })
  if (kept.length < cut.length) note('partial-stop-word', { start: kept.length, end: cut.length })
  return kept
}

function parsed(messages: readonly Message[], issues: readonly Issue[]): ParseOutcome {
  return { kind: 'parsed', messages: messages.map(asText), issues }
}

/** As in the reference: the output of a text model is text (spec §8.5). Calls have none. */
function asText(message: Message): AssistantMessage {
  const { content, function_call, extra } = message
  const text = typeof content === 'string' ? content : textOf(content)
  // Written out for calls, because copying a message with `...` takes longer than finding the call.
  if (function_call) {
    if (extra === undefined || extra === null) return { role: 'assistant', content: text, function_call }
    return { role: 'assistant', content: text, function_call, extra }
  }
  return { ...message, role: 'assistant', content: text }
}
