import type { DeltaFields } from '@callspec/core'
import type { ParseOutcome } from '@callspec/core/qwen-agent'

import type { Law, Violation } from '../law.ts'
import type { GoodAnswer, Question } from '../question.ts'
import type { Sample } from '../sample.ts'
import { chunksOf, unitsOf } from '../sample.ts'
import { outcomeOf, sameOutcome } from './reading.ts'

/** Where a chunk ends is nobody's choice, and no character may fall apart there. */
export const utfIntegrity: Law = {
  id: 'utf-integrity',
  statement:
    'A text cut between bytes, code units or code points is read as it is whole, and no delta holds half a character or U+FFFD.',
  guards: [24],
  cost: 'quadratic',
  needs: 'text',
  applies: ({ answers }) => answers.has('stream'),
  ask: (sample, { answers }) => {
    if (!isWellFormed(sample.text)) return []
    const streams = cutWays(sample).flatMap((chunks): readonly Question[] => {
      const stream: Question = { op: 'stream', chunks, snapshots: 'each' }
      return answers.has('deltas') ? [stream, { op: 'deltas', chunks }] : [stream]
    })
    return [{ op: 'parse', text: sample.text }, ...streams]
  },
  judge: (sample, [whole, ...answers]) => {
    const expected = outcomeOf(whole)
    for (const [index, answer] of answers.entries()) {
      const broken = answer.op === 'deltas' ? brokenDelta(answer) : differs(outcomeOf(answer), expected)
      if (broken === null) continue
      const ways = cutWays(sample)
      const chunks = ways[Math.floor((index * ways.length) / answers.length)] ?? []
      return { ...broken, chunks }
    }
    return null
  },
}

/** By bytes as they would be decoded on their way, by units, and by code points. */
function cutWays({ text, cuts }: Sample): readonly (readonly string[])[] {
  return [bytewise(text, cuts), unitsOf(text), text === '' ? [''] : [...text], chunksOf(text, cuts)]
}

/** The chunks of a decoder that is given the bytes in pieces: it keeps back what is no character yet. */
function bytewise(text: string, cuts: readonly number[]): readonly string[] {
  const bytes = new TextEncoder().encode(text)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const chunks: string[] = []
  let start = 0
  for (const cut of cuts) {
    // The same places, counted in bytes; what is left over is the last piece.
    const end = Math.max(start, Math.min(bytes.length, cut))
    chunks.push(decoder.decode(bytes.subarray(start, end), { stream: true }))
    start = end
  }
  chunks.push(decoder.decode(bytes.subarray(start)))
  return chunks
}

type Broken = Omit<Violation, 'chunks'>

function differs(got: ParseOutcome, expected: ParseOutcome): Broken | null {
  return sameOutcome(got, expected) ? null : { breach: 'cut-matters', expected, got }
}

function brokenDelta({ deltas }: Extract<GoodAnswer, { op: 'deltas' }>): Broken | null {
  const broken = deltas.find(({ delta }) => !textsOf(delta).every(isWellFormed))
  return broken === undefined ? null : { breach: 'half-a-character', expected: 'whole characters', got: broken }
}

function textsOf({ content = '', reasoning_content = '', tool_calls = [] }: DeltaFields): readonly string[] {
  return [content, reasoning_content, ...tool_calls.flatMap(({ function: call }) => [call.name ?? '', call.arguments])]
}

/** Neither an unpaired surrogate nor the character that stands for bytes that could not be read. */
function isWellFormed(text: string): boolean {
  return !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|\ufffd/.test(text)
}
