import type { AttributionRule } from './attribution.ts'
import type { PromptView } from './prompt-view.ts'
import { quote } from './quotation.ts'

type Asked = { readonly prompt: Omit<PromptView, 'given'> }

/** What a prompt kept from the model: a cause of turns and of episodes. */
export const TOOLS_NOT_SHOWN: AttributionRule<Asked> = {
  id: 'tools-not-shown',
  blames: 'prompt',
  means: 'The prompt names none of the offered tools.',
  evidence: ({ prompt }) => (prompt.showsTools() === false ? 'no message of the prompt names an offered tool' : null),
}

export const CALLS_NOT_SHOWN: AttributionRule<Asked> = {
  id: 'calls-not-shown',
  blames: 'prompt',
  means: 'The prompt of the format’s maker leaves out the calls of earlier turns.',
  evidence: ({ prompt }) => {
    const lost = prompt.lostCall()
    return lost === null ? null : `the call of ${quote(lost)} stands in no later prompt`
  },
}
