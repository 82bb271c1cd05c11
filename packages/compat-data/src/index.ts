/*
 * Data of engines: what each version answered to the strict cases. `data/` has the files, `schemas/` their form; this entry types and reads
 * them, and compares two versions.
 */
export { changesBetween, isWrong, tallyOf, verdictsOf } from './compare.ts'
export type { CompatChange, CompatChanges, CompatTally } from './compare.ts'
export { engineAdvice, parsersFor, topicIn, topicsOf } from './parsers.ts'
export type { AskedParser, CaseTopic, EngineAdvice } from './parsers.ts'
export { CompatDataError, openCompatData } from './read.ts'
export type { CompatData } from './read.ts'
export type { CompatEngine, CompatIndex, CompatResult, CompatRow, CompatVerdict, CompatVersion } from './types.ts'
