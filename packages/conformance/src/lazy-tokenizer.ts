import type { Tokenizer } from '@callspec/core/qwen-agent'
import { MachineryError } from './machinery-error.ts'

/** A tokenizer that loads its vocabulary when it is first used. */
export function lazyTokenizer(load: () => Tokenizer): Tokenizer {
  let loaded: Tokenizer | null = null
  const get = (): Tokenizer => {
    try {
      loaded ??= load()
      return loaded
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new MachineryError(`the vocabulary of the tokenizer cannot be loaded: ${reason}`, error)
    }
  }
  return {
    encode: (text) => get().encode(text),
    decode: (tokens) => get().decode(tokens),
    pieces: (text) => get().pieces(text),
    count: (text) => get().count(text),
  }
}
