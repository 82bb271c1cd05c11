import fc from 'fast-check'
import { chunks, CUTS, expectSame, expectSnapshots, fed, OPTIONS, readOptions, replies } from './helpers.ts'
import type { QwenFormat } from './helpers.ts'

/*
 * What every reader of the formats of Qwen-Agent must do, as functions that throw if it does not. Texts: replies of the format, soups of
 * markers, any characters, at most some hundred units; every option; cut at up to six places or unit by unit.
 */

/** What is tried: a format in a version, with so many texts. */
export interface Subject {
  readonly format: QwenFormat
  readonly profile: string
  readonly runs: number
}

/** After every chunk the snapshot is what `read` gives for the text so far. */
export function checkSnapshots({ format, profile, runs }: Subject): void {
  fc.assert(
    fc.property(replies(format), CUTS, OPTIONS, (text, cuts, options) => {
      expectSnapshots(format, chunks(text, cuts), { ...options, profile })
    }),
    { numRuns: runs },
  )
}

/** After every cut into two the whole reply is read as at once. */
export function checkTwoChunks({ format, profile, runs }: Subject): void {
  fc.assert(
    fc.property(replies(format), OPTIONS, (text, given) => {
      const options = readOptions({ ...given, profile })
      const whole = format.read(text, options)
      for (let at = 0; at <= text.length; at++) {
        const reader = format.createReader(options)
        expectSame(fed(reader, [text.slice(0, at), text.slice(at)]).snapshot(), whole)
      }
    }),
    { numRuns: runs },
  )
}

/** Snapshots stay as they were given. */
export function checkKept({ format, profile, runs }: Subject): void {
  fc.assert(
    fc.property(replies(format), CUTS, OPTIONS, (text, cuts, options) => {
      const reader = format.createReader(readOptions({ ...options, profile }))
      const taken = chunks(text, cuts).map((chunk) => {
        reader.push(chunk)
        const snapshot = reader.snapshot()
        return { snapshot, before: structuredClone(snapshot) }
      })
      for (const { snapshot, before } of taken) expectSame(snapshot, before)
    }),
    { numRuns: runs },
  )
}
