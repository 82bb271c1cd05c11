import { joinParts } from '@callspec/core'
import type { Format } from '@callspec/core'
import { isDict, isList } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import { compareShown } from '../diff/compare-shown.ts'
import type { Difference } from '../diff/compare-shown.ts'
import type { DiffProbe } from '../diff/diff-probes.ts'
import type { Shown } from '../diff/side.ts'

/** What came of holding a template's prompts against those of a format. */
export interface PromptCheck {
  /** Conversations that both sides show, or that one of them refuses. */
  readonly compared: number
  /** The format's prompt first, then the template's. */
  readonly differences: readonly Difference[]
}

/** A format of which the reference's prompts are known. */
export type PromptingFormat = Format & { readonly prompt: NonNullable<Format['prompt']> }

/** Compares byte by byte. A conversation that both refuse is no difference, whatever they say. */
export async function checkPrompts(
  format: PromptingFormat,
  probes: readonly DiffProbe[],
  show: (probe: DiffProbe) => Promise<Shown>,
): Promise<PromptCheck> {
  const differences: Difference[] = []
  for (const probe of probes) {
    const pair = [referencePrompt(format, probe.variables), await show(probe)] as const
    if (pair.every(({ kind }) => kind === 'raised')) continue
    const difference = await compareShown(probe.id, pair, null)
    if (difference !== null) differences.push(difference)
  }
  return { compared: probes.length, differences }
}

/** What the format's reference shows. */
function referencePrompt({ prompt }: PromptingFormat, variables: PyDict): Shown {
  const messages = variables.get('messages') ?? []
  const tools = variables.get('tools')
  const options = [...variables].filter(([name]) => name !== 'messages' && name !== 'tools')
  const outcome = prompt({
    messages: isList(messages) ? messages.filter(isDict) : [],
    tools: isList(tools) ? tools : null,
    options: new Map(options),
  })
  return outcome.kind === 'prompted'
    ? { kind: 'text', text: joinParts(outcome.parts) }
    : { kind: 'raised', error: { type: 'refusal', message: outcome.reason } }
}
