import { attempt, loads, loadsJson5 } from '@callspec/core/reference'
import type { PyValue } from '@callspec/core'
import { balancedEnd } from '../text/balanced.ts'
import { isTooDeep } from '../text/too-deep.ts'
import type { Repair } from './call-block.ts'
import { rewriteLoose } from './rewrite-loose.ts'

export interface LenientValue {
  readonly value: PyValue
  readonly repairs: readonly Repair[]
}

/** The value of a JSON text as the standard has it, or null. */
export function readStrictJson(text: string): PyValue | undefined {
  return tried(loads, text)
}

/**
 * The value of a text that is nearly JSON, with the repairs it took, or null. JSON5 does the reading; what JSON5 does
 * not know (Python's words, full-width signs, a raw line break, one missing or spare bracket, a fence) is rewritten
 * first, each under its own name. Nothing is guessed: a quote in the middle of a string stays an error.
 */
export function readLenientJson(text: string): LenientValue | null {
  const strict = tried(loads, text)
  if (strict !== undefined) return { value: strict, repairs: [] }
  for (const { text: candidate, repairs } of candidates(text)) {
    const asJson = tried(loads, candidate)
    if (asJson !== undefined) return { value: asJson, repairs }
    const asJson5 = tried(loadsJson5, candidate)
    if (asJson5 !== undefined) return { value: asJson5, repairs: [...repairs, 'json5'] }
  }
  return null
}

interface Candidate {
  readonly text: string
  readonly repairs: readonly Repair[]
}

/** From the smallest change to the largest; the first that can be read wins. */
function* candidates(given: string): Generator<Candidate> {
  const bare = withoutFence(given)
  yield bare
  const loose = rewriteLoose(bare.text)
  const rewritten: Candidate = { text: loose.text, repairs: [...bare.repairs, ...loose.repairs] }
  if (loose.repairs.length > 0) yield rewritten
  const text = rewritten.text.trimEnd()
  const closed: readonly Repair[] = [...rewritten.repairs, 'closing-bracket']
  yield { text: `${text}}`, repairs: closed }
  yield { text: `${text}]`, repairs: closed }
  if (text.endsWith('}') || text.endsWith(']')) yield { text: text.slice(0, -1), repairs: closed }
  const end = balancedEnd(text, 0)
  if (end !== null && end < text.length)
    yield { text: text.slice(0, end), repairs: [...rewritten.repairs, 'trailing-text'] }
}

/** The inside of a fenced block, with or without a language. */
function withoutFence(text: string): Candidate {
  const body = text.trim()
  if (!body.startsWith('```')) return { text: body, repairs: [] }
  const first = body.indexOf('\n')
  const last = body.lastIndexOf('```')
  if (first < 0 || last <= first) return { text: body, repairs: [] }
  return { text: body.slice(first + 1, last).trim(), repairs: ['code-fence'] }
}

function tried(read: (text: string) => PyValue, text: string): PyValue | undefined {
  const outcome = attempt(() => read(text))
  return outcome.kind === 'returned' && !isTooDeep(outcome.value) ? outcome.value : undefined
}
