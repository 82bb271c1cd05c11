import { promptFrame } from '@callspec/core'
import type { EvalFormat } from '../formats/eval-format.ts'
import type { EpisodeTrace, TurnLine } from '../trace/trace.ts'
import type { ToolSpec } from '../trace/task.ts'

/** What a rule may ask about the prompt of a turn. */
export interface PromptView {
  /** The task, then the results so far. */
  readonly given: readonly string[]
  /** Whether the prompt names any offered tool; null where that is not recorded, or tools are no part of the text. */
  readonly showsTools: () => boolean | null
  /** The name of an earlier call that the prompt leaves out; null where none is known to be missing. */
  readonly lostCall: () => string | null
  /** The example of a call in another syntax that the prompts hold; null where none is known to stand there. */
  readonly otherSyntax: () => string | null
}

/** The prompts of an episode. Recorded messages are read only if a rule asks. */
export function promptsOf(
  lines: readonly TurnLine[],
  tools: readonly ToolSpec[],
  toolsAreText: boolean,
): () => boolean | null {
  let known: boolean | null | undefined
  return () => {
    known ??= toolsAreText ? namesTools(lines, tools) : null
    return known
  }
}

function namesTools(lines: readonly TurnLine[], tools: readonly ToolSpec[]): boolean | null {
  const texts = lines.map(({ sent }) => (typeof sent.added === 'string' ? sent.added : JSON.stringify(sent.added)))
  const isRecorded = texts.some((text) => text.length > '[]'.length)
  if (!isRecorded || tools.length === 0) return null
  return texts.some((text) => tools.some(({ name }) => text.includes(name)))
}

/**
 * The first call of earlier turns, where the prompts of the format's maker leave such calls out and those that were sent
 * hold no beginning of one. Null for prompts that are not recorded as one text.
 */
export function lostCallOf(
  { turns, calls }: Pick<EpisodeTrace, 'turns' | 'calls'>,
  turn: number,
  { format }: EvalFormat,
): string | null {
  const first = calls.find((call) => call.turn < turn)
  if (first === undefined || format === undefined || promptFrame(format)?.showsCalls !== false) return null
  const later = turns.filter((line) => line.turn > first.turn && line.turn <= turn).map(({ sent }) => sent.added)
  const isShown = later.some(
    (added) => typeof added !== 'string' || format.markers.callStart.some((mark) => added.includes(mark.trim())),
  )
  return later.length === 0 || isShown ? null : first.name
}

/** The call that the prompts of the format's maker ask for in another syntax, as far as prompts were recorded that do. */
export function otherSyntaxOf({ turns }: Pick<EpisodeTrace, 'turns'>, { format }: EvalFormat): string | null {
  const example = format === undefined ? null : (promptFrame(format)?.otherSyntax ?? null)
  if (example === null) return null
  return turns.some(({ sent: { added } }) => typeof added === 'string' && added.includes(example)) ? example : null
}
