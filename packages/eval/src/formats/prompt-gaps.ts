import { promptFrame } from '@callspec/core'
import type { FormatName } from '../trace/format-names.ts'
import type { EvalFormat } from './table.ts'

/**
 * What the prompt of a format's maker keeps from a model, a sentence each; none where it shows tools and calls and asks for its own syntax. Seen in prompts
 * that the format makes, so that it holds for formats that nobody has tried.
 */
export function promptGaps({ id, format }: EvalFormat): readonly string[] {
  const frame = format === undefined ? null : promptFrame(format)
  if (frame === null) return []
  const says = (what: string): string =>
    `${id}: the maker's prompt does not show ${what}; what fails because of it is the prompt's fault (--prompt callspec shows them)`
  return [
    ...(frame.showsTools ? [] : [says('the tools, so that a model has to guess them')]),
    ...(frame.showsCalls ? [] : [says('the calls of earlier turns')]),
    ...(frame.otherSyntax === null ? [] : [asksOtherwise(id, frame.otherSyntax)]),
  ]
}

function asksOtherwise(id: FormatName, example: string): string {
  return `${id}: the maker's prompt asks for calls in another syntax, ${example}, which are no calls in this format; what fails because of it is the prompt's fault (--prompt callspec asks for the format's own)`
}

/** Whether a format has a prompt of its own, so that `--prompt` can choose another. */
export function hasFormatPrompt({ format }: EvalFormat): boolean {
  return format !== undefined && format.prompt !== null
}
