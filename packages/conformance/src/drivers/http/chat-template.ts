import { createHash } from 'node:crypto'

import { compileTemplate } from '@callspec/template'
import type { PyDict } from '@callspec/python'

import type { Api } from './api.ts'

/** The chat template that a server says it has. */
export interface ServedTemplate {
  /** Under which its prompts are asked for: `chat-template@` and the beginning of the sha256 of its text. */
  readonly profile: string
  /** What transformers makes of a conversation with it, on the day that `today` names; null where it refuses. */
  render(input: PyDict): string | null
}

const PREFIX = 'chat-template@'
/** So many digits of a sha256 stand in the name of a profile. */
const DIGITS = 12

/** Whether a profile names a chat template. */
export function namesTemplate(profile: string): boolean {
  return profile.startsWith(PREFIX)
}

/** What a server shows at /props, as a llama-server does; null where it shows no template. */
export async function servedTemplate(api: Api): Promise<ServedTemplate | null> {
  const answer = await api.get('/props')
  const text = answer.kind === 'json' && answer.status === 200 ? answer.value.get('chat_template') : null
  return typeof text === 'string' && text !== '' ? templateOf(text) : null
}

/** Why the prompts of a profile cannot be asked of a server; null where they can. What a server does not say, its user knows. */
export function whyNotAsked(profile: string, served: ServedTemplate | null): string | null {
  if (!namesTemplate(profile) || served === null || served.profile === profile) return null
  return `the server has another chat template: ${served.profile}`
}

function templateOf(text: string): ServedTemplate {
  const template = compileTemplate(text)
  return {
    profile: PREFIX + createHash('sha256').update(text).digest('hex').slice(0, DIGITS),
    render(input) {
      const tools = input.get('tools') ?? null
      const hasTools = Array.isArray(tools) && tools.length > 0
      const variables = new Map([['add_generation_prompt', true], ...input, ['tools', hasTools ? tools : null]])
      const now = new Date(`${String(input.get('today'))}T12:00:00Z`)
      const made = template.render(variables, Number.isNaN(now.getTime()) ? {} : { now })
      return made.kind === 'rendered' ? made.text : null
    },
  }
}
