import { compareShown } from './compare-shown.ts'
import type { Difference, Measure } from './compare-shown.ts'
import { calibrate, specialIn } from './count-measure.ts'
import { diffProbes } from './diff-probes.ts'
import type { DiffProbe } from './diff-probes.ts'
import { isForServers } from './side.ts'
import type { Shown, Side } from './side.ts'

/** What came of a comparison. */
export interface DiffResult {
  readonly sides: readonly [Side, Side]
  readonly probes: number
  /** Raise against text first, then by conversation. */
  readonly differences: readonly Difference[]
  /** A special token with which only one side begins every prompt, and which was not compared. */
  readonly leading: string | null
}

interface Pair {
  readonly probe: DiffProbe
  readonly shown: readonly [Shown, Shown]
}

/**
 * Shows every conversation to both sides.
 *
 * @throws UsageError for a server that stops answering, or whose counts cannot be used
 */
export async function compareTemplates(
  sides: readonly [Side, Side],
  progress: (text: string) => void,
): Promise<DiffResult> {
  const asks = sides.some(({ server }) => server !== null)
  const probes = diffProbes().filter((probe) => !asks || isForServers(probe))
  const pairs: Pair[] = []
  for (const [index, probe] of probes.entries()) {
    progress(`${index} of ${probes.length} conversations`)
    pairs.push({ probe, shown: [await sides[0].show(probe), await sides[1].show(probe)] })
  }
  const leading = asks ? leadingToken(pairs, sides) : null
  const measure = await measureFor(sides, pairs)
  const differences: Difference[] = []
  for (const { probe, shown } of pairs) {
    const cut = [without(shown[0], leading), without(shown[1], leading)] as const
    const found = await compareShown(probe.id, cut, measure)
    if (found !== null) differences.push(found)
  }
  const weight = ({ how }: Difference): number => (how === 'raise-and-text' ? 0 : 1)
  return { sides, probes: probes.length, differences: differences.toSorted((a, b) => weight(a) - weight(b)), leading }
}

/** Engines leave the first token to their tokenizer, so that it does not come twice. */
function leadingToken(pairs: readonly Pair[], sides: readonly [Side, Side]): string | null {
  const token = sides.map(({ tokens }) => tokens['bos_token']).find((each) => each !== undefined && each !== '')
  if (token === undefined) return null
  const begins = (index: 0 | 1): readonly boolean[] =>
    pairs.flatMap(({ shown }) => {
      const each = shown[index]
      return each.kind === 'text' ? [each.text.startsWith(token)] : []
    })
  const [left, right] = [begins(0), begins(1)]
  if (left.length === 0 || right.length === 0) return null
  const all = (side: readonly boolean[], value: boolean): boolean => side.every((each) => each === value)
  return (all(left, true) && all(right, false)) || (all(left, false) && all(right, true)) ? token : null
}

function without(shown: Shown, token: string | null): Shown {
  if (token === null || shown.kind !== 'text' || !shown.text.startsWith(token)) return shown
  return { kind: 'text', text: shown.text.slice(token.length) }
}

async function measureFor(sides: readonly [Side, Side], pairs: readonly Pair[]): Promise<Measure | null> {
  const texts = pairs.flatMap(({ shown }) => shown.flatMap((each) => (each.kind === 'text' ? [each.text] : [])))
  const counting = sides.find(({ by }) => by === 'prompt_tokens')?.server
  const [text] = texts
  return text === undefined || counting === undefined || counting === null ? null : calibrate(counting, specialIn(text))
}
