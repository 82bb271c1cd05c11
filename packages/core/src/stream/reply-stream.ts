import type {
  AssistantMessage,
  Issue,
  IssueCode,
  ParseOutcome,
  Settled,
  StreamOptions,
  StreamParser,
} from '../format.ts'
import { MAX_QUOTE, quotingIssue } from '../formats/issue.ts'
import { resolveProfile } from '../formats/reply.ts'
import type { ReplyFormat } from '../formats/reply.ts'
import { InputError, errorOf } from '@callspec/python'
import type { Profile } from '../profile.ts'
import type { Raise } from '@callspec/python'
import { partialStopWords } from '../stop-words.ts'
import { plainRun, settledBehind, takePlain } from './plain-text.ts'
import type { PlainRun, PlainText } from './plain-text.ts'
import { rawText } from './raw-text.ts'
import type { RawText } from './raw-text.ts'
import { openGate, stopGate } from './stop-gate.ts'
import type { Removed, StopGate } from './stop-gate.ts'

/** Reads a reply of one format, piece by piece: what `read` of `readReply` is for a whole one. */
export interface ReplyReader {
  /** Takes text that is part of the reply whatever follows; never empty, and cut anywhere. */
  readonly take: (text: string) => void
  /**
   * What the reply says if it ends with `rest`, behind everything taken. Asking changes nothing. `rest` is empty unless
   * replies are cut at stop words, and then no longer than those.
   */
  readonly read: (rest: string) => ReadReply
  /** How much of `read('')` stays, whatever is taken next. */
  readonly settled: () => Settled
  /** The settled messages from an index on. */
  readonly settledMessages: (from: number) => readonly AssistantMessage[]
  /** What is known of the text that comes next; null where that has to be read to be known. */
  readonly plainText: () => PlainText | null
}

/** What a reply says. */
export interface ReadReply {
  /** In text form. */
  readonly messages: readonly AssistantMessage[]
  /** In the order in which they were found. */
  readonly issues: readonly Issue[]
  /** What the reference raises; the last issue says where. Null where it returns. */
  readonly raise: Raise | null
}

/** What a reader is made for. */
export interface ReaderContext {
  readonly profile: Profile
  readonly options: StreamOptions
  /** Is told how many characters were looked at (`StreamOptions.onExamined`). */
  readonly examined: (characters: number) => void
}

/**
 * A stream parser from the reader of a format: looks at the options, cuts at stop words, gathers small chunks, and gives
 * outcomes as `readReply` does. With the choice `none` the text stays as it is.
 *
 * Chunks are only gathered until there are enough of them or somebody asks, because looking into each chunk of a few
 * characters takes longer than looking into all of them at once.
 *
 * @throws InputError for a wrong option; the parser throws one for a chunk that is no text, and where a reply gets longer
 *   than a text can be
 */
export function streamReply(
  options: StreamOptions,
  { format, createReader }: { format: ReplyFormat; createReader: (context: ReaderContext) => ReplyReader },
): StreamParser {
  const profile = resolveProfile(options.profile, format)
  const examined = options.onExamined ?? ignore
  const reader = options.toolChoice === 'none' ? textReader() : createReader({ profile, options, examined })
  const gate = gateOf(format, { options, examined })
  const reply: Reply = { id: format.id, reader, gate, head: '', total: 0 }
  const handed = rawText()
  let gathered = ''
  let answer: ParseOutcome | null = null
  /** What was gathered, as long as it is known what settles of it. */
  let plain: PlainRun | null = null

  const handOn = (): void => {
    if (gathered === '') return
    refuseTooLong(reply.total + gathered.length)
    handed.push(gathered)
    if (reply.head.length < MAX_QUOTE) reply.head = (reply.head + gathered).slice(0, MAX_QUOTE)
    reply.total += gathered.length
    const free = reply.gate.admit(gathered)
    gathered = ''
    plain = null
    if (free !== '') reader.take(free)
  }

  return {
    push: (chunk) => {
      if (typeof chunk !== 'string') throw new InputError('chunk', 'This is not a text. Give what the model wrote.')
      if (chunk === '') return
      answer = null
      gathered += chunk
      if (plain !== null) {
        examined(chunk.length)
        if (!takePlain(plain, chunk)) plain = null
      }
      if (gathered.length >= ENOUGH) handOn()
    },
    snapshot: () => {
      if (answer !== null) return answer
      handOn()
      answer = outcomeOf(reply)
      return answer
    },
    settled: () => {
      if (plain !== null) return settledBehind(plain)
      handOn()
      const { isClosed } = reply.gate.look()
      if (isClosed) return { messages: reader.read('').messages.length, characters: 0 }
      const settled = reader.settled()
      // A gate that cuts holds text back.
      const known = gate.isOpen ? reader.plainText() : null
      if (known !== null) plain = plainRun(known, settled)
      return settled
    },
    settledMessages: (from) => {
      handOn()
      return gate.look().isClosed ? reader.read('').messages.slice(from) : reader.settledMessages(from)
    },
    settledText: (from, to) => pieceOf({ handed, total: reply.total, gathered }, { from, to }),
  }
}

/** From this many characters on, gathered chunks are looked into. */
const ENOUGH = 4096

function refuseTooLong(length: number): void {
  if (length <= LONGEST_TEXT) return
  throw new InputError('chunk', `The reply is longer than ${LONGEST_TEXT} characters. No text can hold it.`)
}

/** A piece of what was handed on, `total` characters, and of what is gathered behind it. */
function pieceOf(
  { handed, total, gathered }: { readonly handed: RawText; readonly total: number; readonly gathered: string },
  { from, to }: { readonly from: number; readonly to: number },
): string {
  const before = from < total ? handed.slice(from, Math.min(to, total)) : ''
  return to > total ? before + gathered.slice(Math.max(0, from - total), to - total) : before
}

/** What V8 puts into one string, in UTF-16 units; beyond that there is nothing that `parse` could be asked about. */
const LONGEST_TEXT = 2 ** 29 - 24

interface Reply {
  readonly id: string
  readonly reader: ReplyReader
  readonly gate: StopGate
  /** The beginning of the text, as long as issues quote. */
  head: string
  total: number
}

function outcomeOf({ id, reader, gate, head, total }: Reply): ParseOutcome {
  const { rest, cut, partial } = gate.look()
  const { messages, issues, raise } = reader.read(rest)
  const removed = [...removedIssue(id, 'stop-word-in-text', cut), ...removedIssue(id, 'partial-stop-word', partial)]
  const all = removed.length === 0 ? issues : [...removed, ...issues]
  if (raise === null) return { kind: 'parsed', messages, issues: all }
  // As in readReply: an empty reply has no piece that could have been noted.
  const issue = all.at(-1) ?? quotingIssue(id, 'empty-reply', { span: { start: 0, end: total }, head })
  return { kind: 'rejected', error: errorOf(raise), issue }
}

function removedIssue(id: string, code: IssueCode, removed: Removed | null): readonly Issue[] {
  return removed === null ? [] : [quotingIssue(id, code, { span: removed, head: removed.head })]
}

function gateOf(
  format: ReplyFormat,
  { options: { stopWords, tokenizer }, examined }: Pick<ReaderContext, 'options' | 'examined'>,
): StopGate {
  const words = stopWords === 'default' ? format.stopWords : (stopWords ?? [])
  const partials = partialStopWords(words, { partials: format.partialStopWords, tokenizer })
  return words.length === 0 ? openGate() : stopGate({ words, partials, headLength: MAX_QUOTE, examined })
}

/** Takes every reply for text. */
function textReader(): ReplyReader {
  let text = ''
  return {
    take: (more) => {
      text += more
    },
    read: (rest) => ({ messages: [{ role: 'assistant', content: text + rest }], issues: [], raise: null }),
    settled: () => ({ messages: 0, characters: text.length, open: { kind: 'text', start: 0 } }),
    settledMessages: () => [],
    plainText: () => null,
  }
}

function ignore(): void {}
