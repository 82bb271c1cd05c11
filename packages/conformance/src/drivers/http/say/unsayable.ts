import type { Format } from '@callspec/core'
import type { PyDict } from '@callspec/python'

/** Whether a prompt opens a thought, so that a text begins inside of one; `switched`: unless it is asked not to. */
export type OpenThought = 'none' | 'opened' | 'switched'

/** Why no engine can be made to say a text; null for all others. */
export function unsayable(text: string, ends: readonly string[]): string | null {
  if (text.includes('\0')) return 'no grammar can hold NUL'
  if (/\p{Cs}/u.test(text)) return 'a lone surrogate cannot be said: it has no bytes'
  const end = ends.find((each) => text.includes(each))
  return end === undefined ? null : `${JSON.stringify(end)} in the text ends the turn`
}

/** What an engine cannot be brought into by a request alone; null for everything else. */
export function unaskable(input: PyDict, thought: OpenThought): string | null {
  const isInside = beginsInThought(input)
  if (isInside && thought === 'none') return 'the prompt of the engine does not begin inside a thought'
  if (!isInside && thought === 'opened') return 'the prompt of the engine begins inside a thought'
  const choice = input.get('tool_choice') ?? 'auto'
  return choice === 'auto' ? null : 'with "tool_choice" an engine brings a grammar of its own'
}

/** Whether the text of a case goes on where the prompt has opened a thought. */
export function beginsInThought(input: PyDict): boolean {
  return input.get('thought_in_content') === true
}

/** The tokens that end a turn, of the format and of the engine. */
export function endsOf(format: Format | null): readonly string[] {
  return [...new Set([...(format?.stops.end ?? []), '<|im_end|>', '<|endoftext|>', '<|eot_id|>'])].filter(
    (end) => end !== '',
  )
}
