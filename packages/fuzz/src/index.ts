/*
 * Laws of tool-call parsers, generators of texts that break them, and the search for the smallest text that does.
 */
export { LAW_IDS } from './law.ts'
export type { Law, LawId, Violation } from './law.ts'
export type { Answer, CallDelta, GoodAnswer, NoAnswer, Question, Work } from './question.ts'
export { chunksOf, cutsOf } from './sample.ts'
export type { CallFault, Part, Plan, PlannedCall, Sample } from './sample.ts'
export type { About, RemoteSubject, Subject } from './subject.ts'
export type { Exception } from './exception.ts'
export type { CallSpelling, Language } from './language.ts'
