export { loadQwenTokenizer } from './tokenizer.ts'
