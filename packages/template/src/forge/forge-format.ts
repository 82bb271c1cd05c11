import { joinParts } from '@callspec/core'
import type { Format, PromptPart } from '@callspec/core'
import { fromPlain, isDict, isList } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import { forgePrompts } from '../lint/lint-template.ts'
import { variablesOf } from '../lint/probe.ts'
import type { Probe } from '../lint/probe.ts'
import type { Rendering } from '../rendering.ts'
import type { Forgery } from './forgery.ts'

/** An attack on the prompts of a format, which are parts: tokens and texts. */
export interface FormatForgery {
  /** The attack on the prompts as one text. */
  readonly joined: Forgery
  /**
   * Whether the parts differ where the texts are equal: a tokenizer that is given the parts makes no token of the forged
   * text. Null if the texts are not equal.
   */
  readonly apart: boolean | null
}

/** Tries the attacks by texts of users and results on the prompts of a format; none for a format without prompts. */
export function forgeFormat({ prompt }: Format): readonly FormatForgery[] {
  if (prompt === null) return []
  const partsOf = (probe: Probe): readonly PromptPart[] | string => {
    const variables = fromPlain(variablesOf(probe))
    const outcome = prompt(conversationOf(isDict(variables) ? variables : new Map()))
    return outcome.kind === 'prompted' ? outcome.parts : outcome.reason
  }
  const render = (probe: Probe): Rendering => {
    const parts = partsOf(probe)
    return typeof parts === 'string'
      ? { kind: 'raised', error: { type: 'refusal', message: parts } }
      : { kind: 'rendered', text: joinParts(parts) }
  }
  const { attacks } = forgePrompts(render)
  return attacks.map((joined) => {
    const { forged, real, outcome } = joined
    if (outcome !== 'forged' || forged === null) return { joined, apart: null }
    return { joined, apart: JSON.stringify(partsOf(real)) !== JSON.stringify(partsOf(forged)) }
  })
}

function conversationOf(variables: PyDict): Parameters<NonNullable<Format['prompt']>>[0] {
  const [messages, tools] = [variables.get('messages') ?? [], variables.get('tools') ?? null]
  const options = [...variables].filter(([name]) => name !== 'messages' && name !== 'tools')
  return {
    messages: isList(messages) ? messages.filter(isDict) : [],
    tools: isList(tools) ? tools : null,
    // Some prompts name the day.
    options: new Map([['date', '2026-01-15'], ...options]),
  }
}
