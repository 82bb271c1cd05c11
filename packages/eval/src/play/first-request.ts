import { formatId } from '../trace/format-names.ts'
import type { CompletionRequest } from '../client/client.ts'
import type { FormatName } from '../trace/format-names.ts'
import { evalFormat } from '../formats/table.ts'
import type { Task, ToolSpec } from '../trace/task.ts'
import { createRequests } from './ask-model.ts'
import type { RequestSettings } from '../trace/request-settings.ts'

/** What the first request of an episode depends on. */
export interface FirstRequestOptions {
  readonly format: FormatName
  readonly task: Task
  readonly tools: readonly ToolSpec[]
  readonly sample: number
  readonly settings: RequestSettings
  /** What the model is told before the question. Absent: nothing. */
  readonly system?: string
}

/** The request that an episode begins with; all that there is to ask where an episode is one turn. */
export function firstRequest(options: FirstRequestOptions): CompletionRequest {
  const { format, task, tools, sample, settings, system } = options
  const host = evalFormat(format).createHost({
    model: settings.name,
    tools,
    language: task.lang,
    maxModelCalls: task.maxModelCalls,
    seed: sample,
    prompt: settings.prompt,
  })
  const told = system === undefined ? [] : [{ role: 'system', content: system } as const]
  const { action } = host.loop.start([...told, { role: 'user', content: task.query }])
  if (action.type !== 'generate')
    throw new Error(`callspec: ${formatId(format)} does not begin with a question to the model`)
  return createRequests({ host, sample, settings })(action.prepared).request
}
