import type { EpisodeBlock, EpisodeIndex, IndexRow } from '../../src/evaluation/page-data.ts'
import { wellFormed } from '../../src/html.ts'
import type { Filter } from './address.ts'
import type { Blocks } from './unpack.ts'

/** Numbers of the episodes that a filter lets through, by what the index knows of them. */
export function findEpisodes(index: EpisodeIndex, filter: Filter): readonly number[] {
  const differs = filter.differing ? differingTasks(index) : null
  const words = filter.words.toLowerCase()
  return index.rows.flatMap((row, at) =>
    fitsEpisodeFilter(row, filter, index) &&
    differs?.has(taskTryOf(row)) !== false &&
    (words === '' || says(row, words, index))
      ? [at]
      : [],
  )
}

/** Numbers of the episodes whose texts hold the words, found block by block; the page stays awake between two. */
export async function searchTexts(
  words: string,
  { index, blocks, isOver }: { readonly index: EpisodeIndex; readonly blocks: Blocks; readonly isOver: () => boolean },
): Promise<ReadonlySet<number>> {
  const found = new Set<number>()
  const wanted = words.toLowerCase()
  for (let at = 0; at < blocks.count && !isOver(); at += 1) {
    const from = index.blockEnds[at - 1] ?? 0
    const block = await blocks.block(at).catch(() => null)
    // A file that is missing hides its episodes, not those of the others.
    if (block !== null) for (const inside of holding(wanted, block)) found.add(from + inside)
  }
  return found
}

function holding(words: string, { texts, episodes }: EpisodeBlock): readonly number[] {
  const hits = new Set(texts.flatMap((text, at) => (text.toLowerCase().includes(words) ? [at] : [])))
  if (hits.size === 0) return []
  return episodes.flatMap(({ question, earlier = [], turns }, at) => {
    const own = turns.flatMap(({ text, reasoning, calls, added }) => [
      ...[text, reasoning ?? -1, ...calls.flatMap(([, args, result]) => [args, result])],
      ...added.map(([, number]) => number),
    ])
    return [question, ...earlier.map(([, number]) => number), ...own].some((number) => hits.has(number)) ? [at] : []
  })
}

function fitsEpisodeFilter(row: IndexRow, filter: Filter, index: EpisodeIndex): boolean {
  const [model, protocol, task, , end, success, causes] = row
  const { outcome } = filter
  return (
    isNamed(filter.model, index.models[model]) &&
    isNamed(filter.protocol, index.protocols[protocol]) &&
    isNamed(filter.task, index.tasks[task]) &&
    (outcome === '' || outcome === (success === 1 ? 'solved' : 'failed') || outcome === index.ends[end]) &&
    (filter.cause === '' || causes.some((cause) => isNamed(filter.cause, index.causes[cause]?.key)))
  )
}

function isNamed(wanted: string, name = ''): boolean {
  return wanted === '' || wanted === wellFormed(name)
}

function says([model, protocol, task, , end, , causes]: IndexRow, words: string, index: EpisodeIndex): boolean {
  const label = index.ends[end] ?? ''
  const named = [label, index.names.ends[label]?.en, index.names.ends[label]?.zh]
  const blamed = causes.flatMap((cause) => [index.causes[cause]?.words.en, index.causes[cause]?.words.zh])
  const all = [index.models[model], index.protocols[protocol], index.tasks[task], ...named, ...blamed]
  return all.some((text) => text?.toLowerCase().includes(words) ?? false)
}

function taskTryOf([model, , task, sample]: IndexRow): string {
  return `${model} ${task} ${sample}`
}

/** Where one format solves what another one does not. */
function differingTasks({ rows }: EpisodeIndex): ReadonlySet<string> {
  const seen = new Map<string, Set<number>>()
  for (const row of rows) {
    const group = taskTryOf(row)
    const known = seen.get(group) ?? new Set()
    seen.set(group, known.add(row[5]))
  }
  return new Set([...seen].flatMap(([group, outcomes]) => (outcomes.size > 1 ? [group] : [])))
}
