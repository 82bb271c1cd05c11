import fc from 'fast-check'
import { compileTemplate } from '../../src/index.ts'
import type { Pair, PythonAnswer } from './python.ts'
import { askPython } from './python.ts'
import { templates, variables } from './templates.ts'
import { NOW } from './vectors.ts'

const pairs = fc.record({ source: templates, variables })

/** The random pairs that Python renders otherwise, with both answers. */
export function differences(
  python: string,
  sample: { readonly seed: number; readonly pairs: number },
): readonly unknown[] {
  const drawn = fc.sample(pairs, { numRuns: sample.pairs, seed: sample.seed })
  const answers = askPython(python, drawn)
  return drawn.flatMap((pair, index) => {
    const answer = answers[index] ?? {}
    const ours = compileTemplate(pair.source).render(pair.variables, { now: NOW })
    const [kind, shown] = ours.kind === 'rendered' ? [undefined, ours.text] : [ours.error.type, ours.error.message]
    if (isBeyond(pair, answer, kind === undefined ? '' : shown)) return []
    return kind === answer.kind && (kind !== undefined || shown === answer.text) ? [] : [{ ...pair, answer, ours }]
  })
}

/**
 * What cannot be compared: text with an address in memory or the repr of a function (also written backwards or in large
 * letters), methods of bytes, complex numbers, and what takes Python seconds.
 */
function isBeyond(pair: Pair, { text = '', slow = false }: PythonAnswer, raised: string): boolean {
  const address = /0x[\da-f]{6}|[\da-f]{6}x0|<generator|<function|<built-in|<bound|<class/i
  return slow || address.test(text) || /bytes|complex/.test(raised) || pair.source.includes('encode(')
}
