import type { Format } from '@callspec/core'
import type { PyValue } from '@callspec/python'

/** What a template writes for one message of its history, as a reply that a reader can be given. */
export interface HistoryReply {
  readonly text: string
  /** Whether the prompt before it had already opened a thought. */
  readonly thoughtInContent: boolean
}

/** Renders messages; null for a raise. */
export type RenderMessages = (messages: readonly PyValue[], generationPrompt: boolean) => Promise<string | null>

/**
 * What a template adds to the prompt for the message at `index`, without the token that ends the turn. Null where the
 * template refuses a conversation that ends there.
 */
export async function historyReply(
  {
    messages,
    index,
    format,
  }: { readonly messages: readonly PyValue[]; readonly index: number; readonly format: Format },
  render: RenderMessages,
): Promise<HistoryReply | null> {
  const prompt = await render(messages.slice(0, index), true)
  const whole = await render(messages.slice(0, index + 1), false)
  if (prompt === null || whole === null) return null
  const start = commonLength(prompt, whole)
  const open = format.markers.thought?.open
  const thoughtInContent = open !== undefined && whole.slice(0, start).trimEnd().endsWith(open)
  return { text: withoutEnd(whole.slice(start), format), thoughtInContent }
}

function commonLength(left: string, right: string): number {
  let length = 0
  while (length < left.length && left[length] === right[length]) length += 1
  return length
}

function withoutEnd(text: string, { stops }: Format): string {
  const ends = stops.end.map((token) => text.lastIndexOf(token)).filter((at) => at !== -1)
  const end = Math.max(-1, ...ends)
  return end === -1 ? text : text.slice(0, end)
}
