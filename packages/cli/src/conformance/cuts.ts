import { CUT_NAMES, cutCases, familyOf } from '@callspec/conformance'
import type { Case, CutName, Implementation } from '@callspec/conformance'
import type { Options, OptionTable } from '../command.ts'
import { UsageError } from '../usage-error.ts'

const ALL = 'all'

/** The option that cuts replies at tokens. */
export const CUT: OptionTable = {
  cut: {
    help: 'Instead of the cases of parse and stream run their texts as streams that are cut at tokens: all, whole, special (at the markers of the format), tokens, groups (of 1 to 8, five times) or one of groups-1 to groups-5. Cuts that no user of the implementation meets count for nothing.',
    value: 'NAMES',
    repeat: true,
    choices: [...new Set([ALL, ...CUT_NAMES.flatMap((cut) => [familyOf(cut), cut])])],
    isList: true,
  },
}

/**
 * The cuts that are asked for; none where the cases are to be run as they are.
 *
 * @throws UsageError for cuts of texts that an engine is made to say
 */
export function cutsAsked(options: Options): readonly CutName[] {
  const asked = options.list('cut')
  if (asked.length > 0 && options.text('say') !== null)
    throw new UsageError('--say gives an engine one token at a time; --cut brings pieces of a text. Give one.')
  return CUT_NAMES.filter((cut) => asked.includes(ALL) || asked.includes(cut) || asked.includes(familyOf(cut)))
}

/** The cases, cut where that is asked for. */
export function cutAsAsked(
  cases: AsyncIterable<Case>,
  { cuts, about }: { readonly cuts: readonly CutName[]; readonly about: Implementation['about'] },
): AsyncIterable<Case> {
  return cuts.length === 0 ? cases : cutCases(cases, { cuts, ...(about.cuts === undefined ? {} : { met: about.cuts }) })
}
