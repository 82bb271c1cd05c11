import type { Usage } from '../trace/completion.ts'
import { isRecord } from '../text/json.ts'

/** What a server counted, where it is a count: a number without an end, below zero or with a fraction is none. Null for unknown. */
export function usageOf(value: unknown): Usage | null {
  if (!isRecord(value)) return null
  const [prompt, completion] = [value['prompt_tokens'], value['completion_tokens']]
  if (!isCount(prompt) || !isCount(completion)) return null
  const reasoning = detail(value['completion_tokens_details'], 'reasoning_tokens')
  const cached = detail(value['prompt_tokens_details'], 'cached_tokens')
  return {
    prompt,
    completion,
    ...(reasoning === null ? {} : { reasoning }),
    ...(cached === null ? {} : { cached }),
  }
}

function detail(details: unknown, name: string): number | null {
  const count = isRecord(details) ? details[name] : null
  return isCount(count) ? count : null
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
