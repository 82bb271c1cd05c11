import { InputError } from '@callspec/core'
import { identifyReply } from '@callspec/core/identify'
import type { IdentifiedReply } from '@callspec/core/identify'
import type { PlainValue } from '@callspec/python'
import type { ToolSpec } from '../trace/task.ts'

/** Which format a text of a model is in. Tools that are nested too deep for anybody to read are as good as none. */
export function identifyText(text: string, tools: readonly ToolSpec[] | null): IdentifiedReply {
  if (tools === null || tools.length === 0) return identifyReply(text)
  try {
    const plain = tools.map(({ name, parameters }) => ({ name, parameters: parameters as PlainValue }))
    return identifyReply(text, { tools: plain })
  } catch (error) {
    if (error instanceof InputError) return identifyReply(text)
    throw error
  }
}

/**
 * The formats of a text in which somebody saw a call begin at `start`. Some formats want their call to be the whole reply,
 * and with words before it find it only from there on.
 */
export function identifiedFrom(text: string, start: number): readonly string[] {
  const { formats } = identifyReply(text)
  return formats.length > 0 || start <= 0 ? formats : identifyReply(text.slice(start)).formats
}

/** Names between which nobody can tell: `a, b or c`. */
export function alternatives(names: readonly string[]): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} or ${last}`
}
