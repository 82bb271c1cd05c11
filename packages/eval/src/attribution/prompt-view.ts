import type { TurnLine } from '../trace/trace.ts'
import type { ToolSpec } from '../trace/task.ts'

/** What a rule may ask about the prompt of a turn. */
export interface PromptView {
  /** The task, then the results so far. */
  readonly given: readonly string[]
  /** Whether the prompt names any offered tool; null where that is not recorded, or tools are no part of the text. */
  readonly showsTools: () => boolean | null
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
