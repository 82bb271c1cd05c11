export { loadQwenTokenizer } from './tokenizer.ts'
export { readVocabulary } from './vocabulary.ts'
export type { Vocabulary } from './vocabulary.ts'
