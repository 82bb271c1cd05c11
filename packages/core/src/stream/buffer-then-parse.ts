import type { ParseOutcome, PromptFormat, StreamOptions, StreamParser } from '../format.ts'
import { InputError } from '@callspec/python'

/**
 * A stream parser for a format that has none of its own: it keeps the chunks and parses all of them when it is asked.
 *
 * A snapshot costs as much as `parse`, so one after every chunk is quadratic.
 *
 * @throws InputError for a wrong option
 */
export function bufferThenParse(format: Pick<PromptFormat, 'parse'>, options: StreamOptions = {}): StreamParser {
  const { onExamined, ...parseOptions } = options
  // A wrong option is the caller's mistake and comes to light before the first chunk.
  format.parse('', parseOptions)
  let text = ''
  let answer: ParseOutcome | null = null
  return {
    push: (chunk) => {
      if (typeof chunk !== 'string') throw new InputError('chunk', 'This is not a text. Give what the model wrote.')
      text += chunk
      if (chunk !== '') answer = null
    },
    snapshot: () => {
      if (answer !== null) return answer
      onExamined?.(text.length)
      answer = format.parse(text, parseOptions)
      return answer
    },
  }
}
