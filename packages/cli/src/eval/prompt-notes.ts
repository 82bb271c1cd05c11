import { evalFormat, formatsWith, hasFormatPrompt, promptGaps } from '@callspec/eval'
import { UsageError } from '../usage-error.ts'
import type { EvalSettings } from './settings.ts'

/**
 * What somebody should know of the prompts before a run begins, a sentence each.
 *
 * @throws UsageError where none of the formats has a prompt to choose
 */
export function promptNotes({
  prompt,
  formats,
  ownFormats,
}: Pick<EvalSettings, 'prompt' | 'formats' | 'ownFormats'>): readonly string[] {
  const table = formatsWith(ownFormats)
  const entries = formats.map((name) => evalFormat(name, table))
  if (prompt === 'maker') return entries.flatMap(promptGaps)
  const asked = entries.filter(hasFormatPrompt)
  if (asked.length === 0)
    throw new UsageError(
      `--prompt callspec changes nothing for ${entries.map(({ id }) => id).join(', ')}: name formats with a prompt of their maker, such as -f phi-4-mini.`,
    )
  return [
    `${asked.map(({ id }) => id).join(', ')}: asked by the prompt of callspec, tools and an example of a call in the system text, not by the maker's`,
  ]
}
