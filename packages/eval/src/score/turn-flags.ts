import type { TurnFlag } from '../labels.ts'
import type { TurnView } from './view-turn.ts'

/** What is worth noting about a completion beside its label. */
export function flagsOf(view: TurnView): readonly TurnFlag[] {
  const { dialect, visible, reading } = view
  const { before, after } = dialect.flagsProse
  const blocks = dialect.blocks(visible)
  const [first, last] = [blocks[0], blocks.at(-1)]
  const calls = reading.calls ?? []
  const keys = calls.map((call) => JSON.stringify([call.name, call.args]))
  const noted: readonly (readonly [TurnFlag, boolean])[] = [
    ['prose_before', before && first !== undefined && visible.slice(0, first.start).trim() !== ''],
    ['prose_after', after && last !== undefined && visible.slice(last.end).trim() !== ''],
    ['code_fence', blocks.some((block) => block.json.startsWith('```'))],
    ['multi_call', calls.length > 1],
    ['duplicate_call_in_turn', new Set(keys).size < keys.length],
    ['think_unclosed', view.isUnclosed],
    ['stop_word_kept', view.keptStopWord],
  ]
  return noted.filter(([, holds]) => holds).map(([flag]) => flag)
}
