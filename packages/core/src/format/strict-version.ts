import type { Grammar } from '../grammar/grammar.ts'
import { grammarReaders } from '../grammar/reader.ts'
import type { Format } from './format.ts'
import { keepParts } from './grammar-parts.ts'
import type { ItemSpelling } from './write-items.ts'

const STRICT = 'strict'

/**
 * A format whose versions lose what its texts say, with one more version, `strict`, that a grammar reads. Its prompt is that of
 * the default version.
 *
 * @throws Error for a grammar that contradicts itself
 */
export function withStrictVersion<Given extends Format>(
  format: Given,
  { grammar, spelling }: { readonly grammar: Grammar; readonly spelling: ItemSpelling },
): Given {
  const strict = grammarReaders(grammar)
  const made: Given = {
    ...format,
    createReader: (options) =>
      options?.version === STRICT ? strict.createReader(options) : format.createReader(options),
    read: (text, options) => (options?.version === STRICT ? strict.read(text, options) : format.read(text, options)),
    versions: [...format.versions, STRICT],
    prompt:
      format.prompt === null
        ? null
        : (conversation, version) => format.prompt?.(conversation, version === STRICT ? undefined : version) ?? REFUSED,
  }
  keepParts(made, { id: format.id, about: format.about, grammar, spelling, prompt: null })
  return made
}

const REFUSED = { kind: 'refused', reason: 'the format has no prompt' } as const
