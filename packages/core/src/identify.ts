/*
 * Which format a text, a template or a model speaks, and what engines call its parser: guesses with their grounds.
 */
export { guessModel, modelAliases, parserNames, tekkenFormats } from './identify/guess-model.ts'
export type { ModelGuess, ParserNames } from './identify/guess-model.ts'
export type { BrokenCall, StrayMarkers } from './identify/broken-call.ts'
export { identifyReply } from './identify/identify-reply.ts'
export type { IdentifiedReply, IdentifyOptions, RankedFormat } from './identify/identify-reply.ts'
export { mostOften } from './identify/identify-reply.ts'
export type { IdentifiedReplies } from './identify/identify-reply.ts'
