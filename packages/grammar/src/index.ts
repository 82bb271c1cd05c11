export { type Acceptor, type Refusal, startAcceptor } from './acceptor.ts'
export {
  GRAMMAR_KINDS,
  type GrammarKind,
  type GrammarResult,
  type GrammarVerdict,
  acceptText,
  compileGrammar,
} from './accept.ts'
export type { CompiledGrammar } from './compile.ts'
