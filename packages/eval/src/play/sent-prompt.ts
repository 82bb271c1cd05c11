import type { SentPrompt } from '../trace/trace.ts'

type Messages = readonly Readonly<Record<string, unknown>>[]

/** What is new in a prompt of messages against the last one of the same episode (`[]` for none). */
export function sentPrompt(last: Messages, messages: Messages): SentPrompt {
  const same = messages.findIndex((message, index) => JSON.stringify(message) !== JSON.stringify(last[index]))
  const kept = same < 0 ? messages.length : same
  return { kept, added: messages.slice(kept) }
}

/** The same for a prompt that is one text (`''` for none before). */
export function sentText(last: string, text: string): SentPrompt {
  let kept = 0
  while (kept < text.length && text.charCodeAt(kept) === last.charCodeAt(kept)) kept += 1
  return { kept, added: text.slice(kept) }
}
