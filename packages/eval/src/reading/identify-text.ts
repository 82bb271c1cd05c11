import { identifyReply, InputError } from '@callspec/core'
import type { IdentifiedReply } from '@callspec/core'
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
