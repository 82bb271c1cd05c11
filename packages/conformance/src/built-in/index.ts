/*
 * Callspec's own readers and prompts as an implementation, and what is measured with them. An entry of its own: cases of a foreign
 * program run without it.
 */
export { builtInImplementation, formatImplementation } from './implementation.ts'
export { documentedTranscripts } from './transcripts.ts'
export type { DocumentedTranscript, PrintedOtherwise } from './transcripts.ts'
export { readMutants } from './mutants/mutant-file.ts'
export type { MutantSpec } from './mutants/mutant-file.ts'
export { makeMutant } from './mutants/make-mutant.ts'
export type { Mutant } from './mutants/make-mutant.ts'
export { scoreByCases } from './mutants/score-mutants.ts'
export type { CaseScore } from './mutants/score-mutants.ts'
