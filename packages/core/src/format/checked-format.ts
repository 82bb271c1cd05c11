import { compileGrammar } from '../grammar/compile.ts'
import type { Format } from './format.ts'
import { grammarFormat } from './grammar-format.ts'
import type { GrammarFormat } from './grammar-parts.ts'

/**
 * The format that grammar, spelling and prompt make, once its grammar has been looked through: for formats whose authors nobody
 * knows. Markers and traits are read off the grammar.
 *
 * @throws Error for a grammar that contradicts itself
 */
export function checkedFormat(parts: GrammarFormat): Format {
  compileGrammar(parts.grammar)
  return grammarFormat(parts)
}
