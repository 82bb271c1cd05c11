/*
 * What every format is made of and read with: the formats, their values, replies, prompts and grammars. What belongs to the
 * formats of Qwen-Agent alone stands in `@callspec/core/qwen-agent`, its raising functions in `@callspec/core/reference`.
 * What throws is an `InputError` for wrong data of the caller.
 */
export { joinParts } from './conversation/conversation.ts'
export type { Conversation, PromptOutcome, PromptPart } from './conversation/conversation.ts'
export { tokensInText } from './conversation/tokens-in-text.ts'
export type { TokenInText } from './conversation/tokens-in-text.ts'
export type {
  Format,
  FormatAbout,
  FormatException,
  FormatMarkers,
  FormatNotes,
  FormatStops,
  FormatTraits,
  UnreadCall,
} from './format/format.ts'
export { grammarFormat } from './format/grammar-format.ts'
export { guessModel, modelAliases, parserNames, tekkenFormats } from './identify/guess-model.ts'
export type { ModelGuess } from './identify/guess-model.ts'
export type { ParserNames } from './formats/served.ts'
export { mostOften } from './identify/most-often.ts'
export type { IdentifiedReplies } from './identify/most-often.ts'
export { identifyReply } from './identify/identify-reply.ts'
export type { IdentifiedReply, IdentifyOptions, RankedFormat } from './identify/identify-reply.ts'
export { promptFrame } from './format/prompt-frame.ts'
export type { PromptFrame } from './format/prompt-frame.ts'
export { toolsInSystem } from './format/tools-in-system.ts'
export { grammarParts } from './format/grammar-parts.ts'
export type { GrammarFormat } from './format/grammar-parts.ts'
export type { ItemSpelling, WriteCall } from './format/write-items.ts'
export { FORMATS, formatNamed } from './formats/index.ts'
export type {
  BodyCall,
  Exit,
  Grammar,
  GrammarState,
  HeadPlace,
  ReadHead,
  ReadName,
  StateKind,
  ValuePlace,
} from './grammar/grammar.ts'
export { typeValueBySchema } from './grammar/type-value.ts'
export type { TypingRules } from './grammar/type-value.ts'
export { foldEvents, replyOf } from './reply/event.ts'
export type { ReplyEvent, ReplyFold } from './reply/event.ts'
export { callsOf, isStrict } from './reply/item.ts'
export type { CallItem, IssueItem, IssueWeight, ReasoningItem, ReplyItem, TextItem } from './reply/item.ts'
export type { ReadOptions } from './reply/read-options.ts'
export type { ReplyReader } from './reply/reader.ts'
export { replyDeltas } from './reply/reply-deltas.ts'
export type { ReplyDeltaOptions, ReplyDeltas } from './reply/reply-deltas.ts'
export type { Reply } from './reply/reply.ts'
export { InputError } from '@callspec/python'
export type { Outcome, ReferenceError } from '@callspec/python'
