import type { Format, Reply } from '@callspec/core'
import type { ToolSpec as OfferedTool } from '@callspec/core/qwen-agent'
import { promptFrame } from '@callspec/core'
import type { ToolSpec } from '../../trace/task.ts'

/** A reply as the format's own reader has it: what the loop acts on, and what strict reading says. */
export function readFormat(format: Format, text: string, tools: readonly ToolSpec[] | null): Reply {
  const offered = tools as readonly OfferedTool[] | null
  return format.read(text, {
    ...(offered === null ? {} : { tools: offered }),
    thoughtInContent: promptFrame(format)?.opensThought === true,
  })
}
