import { dumpMessages, formats, isFncallName } from '@callspec/core/qwen-agent'
import { fnCallAgent, reactAgent } from '@callspec/qwen-agent'
import { InputError } from '@callspec/core'
import { isDict } from '@callspec/python'
import { createChatModel } from '@callspec/qwen-agent/reference'
import { readMessage } from '@callspec/core/reference'
import type { AgentConfig } from '@callspec/qwen-agent'
import type { Message } from '@callspec/core/qwen-agent'
import type { PyDict, PyValue } from '@callspec/python'
import { runAgent } from './agent-run.ts'
import type { RunRecord } from './agent-run.ts'
import type { OperationContext } from './operation.ts'
import { answer, dicts, language, list, optionalInteger, optionalText } from './read.ts'
import { scriptedModel } from './scripted-model.ts'
import { scriptedTools } from './scripted-tool.ts'

/**
 * A whole run of an agent against a script: every prompt that it sends, every call that it makes, its last messages, and
 * why it ended. The formats of `fncall_prompt_type` are driven by the function-calling agent, that of ReAct by its own.
 */
export function loop(input: PyDict, context: OperationContext): PyDict {
  const { profile } = context
  const tools = scriptedTools(dicts(input, 'tools'), profile)
  const messages = list(input, 'messages').map((message) => readMessage(message, profile))
  const world = { ask: scriptedModel(input, profile), tools }
  const config = configOf(input, context, tools.tools)
  const record = isFncallName(context.format)
    ? runAgent(fnCallAgent(config), messages, world)
    : runAgent(reactAgent(config), messages, world)
  return answerOf(record, context)
}

function configOf(input: PyDict, context: OperationContext, tools: AgentConfig['tools'] & {}): AgentConfig {
  const { profile, tokenizer, format } = context
  if (format === undefined || !Object.hasOwn(formats, format)) {
    throw new InputError('format', `"${format ?? 'none'}" is not one of ${Object.keys(formats).join(', ')}.`)
  }
  const generateCfg = new Map<string, PyValue>(isFncallName(format) ? [['fncall_prompt_type', format]] : [])
  const asked = language(input)
  const maxModelCalls = optionalInteger(input, 'max_model_calls')
  return {
    model: createChatModel({ profile, tokenizer, cfg: new Map([['generate_cfg', generateCfg]]) }),
    tools,
    systemMessage: optionalText(input, 'system_message'),
    language: asked === 'auto' ? null : asked,
    ...(maxModelCalls === null ? {} : { maxModelCalls }),
  }
}

function answerOf(record: RunRecord, { profile }: OperationContext): PyDict {
  const last: readonly Message[] = record.last ?? []
  return answer({
    reason: record.reason,
    prompts: record.prompts.map(({ serviceMessages }) => dumpMessages(serviceMessages, profile).map(shownInPrompt)),
    calls: record.toolLog.map(({ tool, args }) => answer({ name: tool, arguments: args })),
    final: dumpMessages(last, profile),
  })
}

function shownInPrompt(message: PyValue): PyValue {
  if (!isDict(message)) return message
  return answer({ role: message.get('role') ?? null, content: message.get('content') ?? '' })
}
