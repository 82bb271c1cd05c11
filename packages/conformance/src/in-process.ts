import { InputError, isDict, PROFILE_NAMES, profileNamed, Raise } from '@callspec/core'
import type { Profile, Tokenizer } from '@callspec/core'
import { loadQwenTokenizer } from '@callspec/tokenizer-qwen'

import type { Case } from './case.ts'
import type { Implementation, Reply } from './implementation.ts'
import { MachineryError } from './machinery-error.ts'
import { operations } from './operations/index.ts'
import type { Operation } from './operations/operation.ts'

/** The built-in implementation: the functions of `@callspec/core`, called directly. */
export function builtInImplementation(): Implementation {
  const tokenizer = lazyTokenizer(loadQwenTokenizer)
  return {
    name: 'callspec',
    answer(item) {
      const operation = operations.get(item.op)
      if (operation === undefined)
        return { kind: 'skipped', reason: `the implementation has no operation "${item.op}"` }
      const profile = profileNamed(item.profile)
      if (profile !== null) return run(operation, item, { profile, tokenizer })
      return { kind: 'skipped', reason: `unknown profile "${item.profile}"; known: ${PROFILE_NAMES.join(', ')}` }
    },
  }
}

/** A tokenizer that loads its vocabulary when it is first used. */
export function lazyTokenizer(load: () => Tokenizer): Tokenizer {
  let loaded: Tokenizer | null = null
  const get = (): Tokenizer => {
    try {
      loaded ??= load()
      return loaded
    } catch (error) {
      throw new MachineryError(`the vocabulary of the tokenizer cannot be loaded: ${messageOf(error)}`, error)
    }
  }
  return {
    encode: (text) => get().encode(text),
    decode: (tokens) => get().decode(tokens),
    pieces: (text) => get().pieces(text),
    count: (text) => get().count(text),
  }
}

function run(operation: Operation, item: Case, context: { profile: Profile; tokenizer: Tokenizer }): Reply {
  try {
    const value = operation(item.input, context)
    return isDict(value) ? { kind: 'returned', value } : { kind: 'errored', reason: 'the operation gave no map' }
  } catch (error) {
    if (error instanceof Raise) return { kind: 'raised', error: { type: error.type, message: error.message } }
    if (error instanceof MachineryError) throw error
    if (error instanceof InputError)
      return { kind: 'errored', reason: `the input is not as expected: ${error.message}` }
    return { kind: 'errored', reason: `unexpected exception: ${messageOf(error)}` }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
