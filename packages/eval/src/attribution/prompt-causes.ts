import type { AttributionRule } from './attribution.ts'
import type { FailedTurn } from './failed-turn.ts'
import type { PromptView } from './prompt-view.ts'
import { at, quote } from './quotation.ts'

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

/** A reply that does what it was asked for: a cause of turns. */
export const OTHER_SYNTAX_ASKED: AttributionRule<FailedTurn> = {
  id: 'other-syntax-asked',
  blames: 'prompt',
  means: 'The prompt of the format’s maker asks for calls in another syntax, and the reply is written in it.',
  evidence: ({ prompt, input: { text, tools } }) => {
    const example = prompt.otherSyntax()
    const key = example === null ? undefined : /, "(\w+)":/.exec(example)?.[1]
    if (example === null || key === undefined || !text.includes(`"${key}"`)) return null
    const place = CALL.exec(text)
    const name = place?.[1]
    if (place === null || tools?.some((tool) => tool.name === name) === false) return null
    return `the prompt asks for ${quote(example)}, and the reply has ${at(text, place.index)}`
  },
}

const CALL = /\{\s{0,8}"name"\s{0,8}:\s{0,8}"([^"]{1,200})"/
