import { loads } from '@callspec/python/outcome'

import type { Language } from '../language.ts'
import type { Law, Violation } from '../law.ts'
import type { Question } from '../question.ts'
import { same } from '../same.ts'
import type { Sample } from '../sample.ts'
import { spellCall } from '../spell-call.ts'
import { wellFormedCalls } from './planned.ts'
import { callsIn, outcomeOf } from './reading.ts'

/** Numbers stay numbers, and as exact as they were written. */
export const valueTyping: Law = {
  id: 'value-typing',
  statement:
    'Every argument keeps its JSON type, its digits and its place, however the JSON is spelled: 1 is not 1.0, "007" is not 7, 2^53 + 1 is not 2^53.',
  guards: [22],
  cost: 'linear',
  needs: 'plan',
  applies: () => true,
  ask: (sample, { language }) => textsOf(sample, language).map((text): Question => ({ op: 'parse', text })),
  judge: (sample, answers, { language }) => {
    const planned = wellFormedCalls(sample, language) ?? []
    const [whole, tight] = answers.map((answer) => callsIn(outcomeOf(answer)).map((call) => call.arguments))
    const written = planned.map((call) => call.arguments)
    const textAt = (index: number): string => textsOf(sample, language)[index] ?? ''
    return (
      differs(written, whole ?? [], () => textAt(0)) ??
      (tight === undefined ? null : differs(written.slice(0, 1), tight, () => textAt(1)))
    )
  },
}

/** The reply as it was planned, and its first call in another spelling of the same JSON. */
function textsOf(sample: Sample, language: Language): readonly string[] {
  const [first] = wellFormedCalls(sample, language) ?? []
  if (first === undefined) return []
  if (language.call === null) return [sample.text]
  return [sample.text, spellCall(language.call, { name: first.name, arguments: tightly(first.arguments) })]
}

/** JSON without spaces between its tokens, and with escapes in place of characters that are not ASCII. */
function tightly(json: string): string {
  return json.replaceAll(/"(?:\\.|[^"\\])*"|\s+/g, (token) => (token.startsWith('"') ? escaped(token) : ''))
}

function escaped(token: string): string {
  return token.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function differs(expected: readonly string[], got: readonly string[], text: () => string): Violation | null {
  for (const [index, written] of expected.entries()) {
    const read = got[index] ?? ''
    if (read === written || same(loads(read), loads(written))) continue
    return { breach: 'value-differs', chunks: [text()], expected: written, got: got[index] ?? null }
  }
  return null
}
