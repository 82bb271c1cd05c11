import { promptFrame } from '@callspec/core'
import type { Protocol } from '../trace/protocol.ts'
import { protocolEntry } from './table.ts'

/**
 * What the prompt of a format's maker keeps from a model, a sentence each; none where it shows tools and calls and asks for its own syntax. Seen in prompts
 * that the format makes, so that it holds for formats that nobody has tried.
 */
export function promptGaps(protocol: Protocol): readonly string[] {
  const { format } = protocolEntry(protocol)
  const frame = format === undefined ? null : promptFrame(format)
  if (frame === null) return []
  const says = (what: string): string =>
    `${protocol}: the maker's prompt does not show ${what}; what fails because of it is the prompt's fault (--prompt callspec shows them)`
  return [
    ...(frame.showsTools ? [] : [says('the tools, so that a model has to guess them')]),
    ...(frame.showsCalls ? [] : [says('the calls of earlier turns')]),
    ...(frame.otherSyntax === null ? [] : [asksOtherwise(protocol, frame.otherSyntax)]),
  ]
}

function asksOtherwise(protocol: Protocol, example: string): string {
  return `${protocol}: the maker's prompt asks for calls in another syntax, ${example}, which are no calls in this format; what fails because of it is the prompt's fault (--prompt callspec asks for the format's own)`
}

/** Whether a protocol is asked by the prompt of a format, so that there is another one to choose. */
export function hasFormatPrompt(protocol: Protocol): boolean {
  const { format } = protocolEntry(protocol)
  return format !== undefined && format.prompt !== null
}
