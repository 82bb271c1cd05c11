import fc from 'fast-check'
import type { AssistantMessage, BuiltInFormat, ParseOutcome, ProfileName, Settled } from '../../src/qwen-agent.ts'
import { chunks, CUTS, expectSame, expectSnapshots, fed, OPTIONS, replies } from './helpers.ts'

/*
 * What every stream parser must do, as functions that throw where it does not. Texts: replies of the format, soups of
 * markers, any characters, at most some hundred units; every option; cut at up to six places or unit by unit.
 */

/** What is tried: a format in a version, with so many texts. */
export interface Subject {
  readonly format: BuiltInFormat
  readonly profile: ProfileName
  readonly runs: number
}

/** After every chunk the snapshot is what parse says. */
export function checkSnapshots({ format, profile, runs }: Subject): void {
  fc.assert(
    fc.property(replies(format), CUTS, OPTIONS, (text, cuts, options) => {
      expectSnapshots(format, chunks(text, cuts), { ...options, profile })
    }),
    { numRuns: runs },
  )
}

/** After every cut into two the whole reply is read as parse reads it. */
export function checkTwoChunks({ format, profile, runs }: Subject): void {
  fc.assert(
    fc.property(replies(format), OPTIONS, (text, options) => {
      const whole = format.parse(text, { ...options, profile })
      for (let at = 0; at <= text.length; at++) {
        const parser = format.createStreamParser({ ...options, profile })
        expectSame(fed(parser, [text.slice(0, at), text.slice(at)]).snapshot(), whole)
      }
    }),
    { numRuns: runs },
  )
}

/** Snapshots stay as they were given. */
export function checkKept({ format, profile, runs }: Subject): void {
  fc.assert(
    fc.property(replies(format), CUTS, OPTIONS, (text, cuts, options) => {
      const parser = format.createStreamParser({ ...options, profile })
      const taken = chunks(text, cuts).map((chunk) => {
        parser.push(chunk)
        const snapshot = parser.snapshot()
        return { snapshot, before: structuredClone(snapshot) }
      })
      for (const { snapshot, before } of taken) expectSame(snapshot, before)
    }),
    { numRuns: runs },
  )
}

/** What was called settled is in the last snapshot, unless the reference raises. */
export function checkSettled({ format, profile, runs }: Subject): void {
  fc.assert(
    fc.property(replies(format), CUTS, OPTIONS, (text, cuts, options) => {
      const parser = format.createStreamParser({ ...options, profile })
      const fronts = chunks(text, cuts).map((chunk) => {
        parser.push(chunk)
        const settled = parser.settled?.() ?? { messages: 0, characters: 0 }
        return { settled, front: frontOf(parser.snapshot(), settled) }
      })
      const last = parser.snapshot()
      for (const { settled, front } of fronts) {
        if (last.kind === 'parsed' && front !== null) expectSame(frontOf(last, settled), front)
      }
    }),
    { numRuns: runs },
  )
}

/** How much has settled does not depend on how often that was asked before: what was not looked into counts as well. */
export function checkAsked({ format, profile, runs }: Subject): void {
  fc.assert(
    fc.property(replies(format), CUTS, OPTIONS, (text, cuts, options) => {
      const parser = format.createStreamParser({ ...options, profile })
      let soFar = ''
      for (const chunk of chunks(text, cuts)) {
        soFar += chunk
        parser.push(chunk)
        const once = format.createStreamParser({ ...options, profile })
        once.push(soFar)
        expectSame(parser.settled?.(), once.settled?.())
      }
    }),
    { numRuns: runs },
  )
}

/** The part of an outcome that is said to stay. */
interface Front {
  readonly messages: readonly AssistantMessage[]
  /** Of the message behind those. */
  readonly text: string
  /** Its name, where the text reaches into its arguments. */
  readonly name: string | null
}

function frontOf(outcome: ParseOutcome, { messages, characters }: Settled): Front | null {
  if (outcome.kind === 'rejected') return null
  const next = outcome.messages[messages]
  const before = String(next?.reasoning_content ?? '') + (next?.content ?? '')
  const call = next?.function_call ?? null
  return {
    messages: outcome.messages.slice(0, messages),
    text: (before + (call?.arguments ?? '')).slice(0, characters),
    name: call !== null && characters > before.length ? call.name : null,
  }
}
