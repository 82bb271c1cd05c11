import { CUT_NAMES, cutCases, familyOf } from '@callspec/conformance'
import type { Case, CutName, Implementation } from '@callspec/conformance'
import type { Options } from '../command.ts'
import { UsageError } from '../usage-error.ts'
import { ALL_CUTS } from './options.ts'

/**
 * The cuts that are asked for; none where the cases are to be run as they are.
 *
 * @throws UsageError for cuts of texts that an engine is made to say
 */
export function cutsAsked(options: Options): readonly CutName[] {
  const asked = options.list('cut')
  if (asked.length > 0 && options.text('say') !== null)
    throw new UsageError('--say gives an engine one token at a time; --cut brings pieces of a text. Give one.')
  return CUT_NAMES.filter((cut) => asked.includes(ALL_CUTS) || asked.includes(cut) || asked.includes(familyOf(cut)))
}

/** The cases, cut where that is asked for. */
export function cutAsAsked(
  cases: AsyncIterable<Case>,
  { cuts, about }: { readonly cuts: readonly CutName[]; readonly about: Implementation['about'] },
): AsyncIterable<Case> {
  return cuts.length === 0 ? cases : cutCases(cases, { cuts, ...(about.cuts === undefined ? {} : { met: about.cuts }) })
}
