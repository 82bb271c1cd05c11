import { loads } from '@callspec/python/outcome'
import type { FunctionCall } from '@callspec/core/qwen-agent'

import type { CallSpelling, Language } from '../language.ts'
import type { Law, Violation } from '../law.ts'
import type { Question } from '../question.ts'
import type { Sample } from '../sample.ts'
import { spellCall } from '../spell-call.ts'
import { wellFormedCalls } from './planned.ts'
import { callsIn, outcomeOf, sameArguments } from './reading.ts'

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
    const [whole, ...others] = answers.map((answer) => callsIn(outcomeOf(answer)))
    const textAt = (index: number): string => textsOf(sample, language)[index] ?? ''
    const violation = differs(planned, whole ?? [], () => textAt(0))
    if (violation !== null) return violation
    for (const [index, got] of others.entries()) {
      const another = differs(planned.slice(0, 1), got, () => textAt(index + 1))
      if (another !== null) return another
    }
    return null
  },
}

/** The reply as it was planned, and its first call in other spellings of the same JSON. */
function textsOf(sample: Sample, language: Language): readonly string[] {
  const [first] = wellFormedCalls(sample, language) ?? []
  if (first === undefined) return []
  if (language.call === null) return [sample.text]
  const spelled = (json: string): string => spellCall(language.call ?? NONE, { name: first.name, arguments: json })
  return [
    sample.text,
    spelled(tightly(first.arguments)),
    ...LINE_ENDS.map((lineEnd) => inLines(spelled(first.arguments), { language, json: first.arguments, lineEnd })),
  ]
}

const NONE: CallSpelling = { beforeName: '', betweenNameAndArguments: '', afterArguments: '' }
const LINE_ENDS = ['\n', '\r\n']

interface Printed {
  readonly language: Language
  /** The arguments of the call. */
  readonly json: string
  readonly lineEnd: string
}

/** A call with its JSON over several lines: all that stands between its markers, where that is JSON, else its arguments. */
function inLines(spelled: string, { language, json, lineEnd }: Printed): string {
  const solid = spelled.trimStart()
  const marker = language.callStart.find((start) => solid.startsWith(start)) ?? ''
  const open = spelled.slice(0, spelled.length - solid.length) + marker
  const close = language.callEnd.find((end) => spelled.endsWith(end)) ?? ''
  const body = spelled.slice(open.length, spelled.length - close.length)
  if (close !== '' && loads(body).kind === 'returned')
    return open + lineEnd + broken(body.trim(), lineEnd) + lineEnd + close
  const at = spelled.lastIndexOf(json)
  return spelled.slice(0, at) + broken(json, lineEnd) + spelled.slice(at + json.length)
}

/** JSON with a line for each of its values. */
function broken(json: string, lineEnd: string): string {
  return json.replaceAll(/"(?:\\.|[^"\\])*"|[[{,]|[\]}]/g, (token) => {
    if (token.startsWith('"')) return token
    return /[\]}]/.test(token) ? lineEnd + token : token + lineEnd
  })
}

/** JSON without spaces between its tokens, and with escapes in place of characters that are not ASCII. */
function tightly(json: string): string {
  return json.replaceAll(/"(?:\\.|[^"\\])*"|\s+/g, (token) => (token.startsWith('"') ? escaped(token) : ''))
}

function escaped(token: string): string {
  return token.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function differs(
  expected: readonly FunctionCall[],
  got: readonly FunctionCall[],
  text: () => string,
): Violation | null {
  for (const [index, written] of expected.entries()) {
    const read = got[index]
    if (read !== undefined && sameArguments(read, written)) continue
    return { breach: 'value-differs', chunks: [text()], expected: written.arguments, got: read?.arguments ?? null }
  }
  return null
}
