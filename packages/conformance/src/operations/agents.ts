import {
  assistantAgent,
  fnCallAgent,
  formatKnowledge,
  memoryAgent,
  reactAgent,
  unknownToolText,
  verifyToolArguments,
} from '@callspec/qwen-agent'
import { dumpContent, dumpMessages, readAgentTool } from '@callspec/core/qwen-agent'
import { truthy, attempt, dumps } from '@callspec/python'
import {
  beginRun,
  dumpWithKnowledge,
  formatToolResult,
  knowledgePrompt,
  toolFailureText,
  withName,
} from '@callspec/qwen-agent/reference'
import type { AgentConfig, LoopReducer } from '@callspec/qwen-agent'
import type { Message } from '@callspec/core/qwen-agent'
import type { PyDict } from '@callspec/python'
import { readConversation, readModel } from './agent-input.ts'
import { raiseOf, runAgent, runAnswer, runThatRaised } from './agent-run.ts'
import { pythonSchemaValidator } from './json-schema/index.ts'
import { keywordOperations } from './keywords.ts'
import type { Operation, OperationContext } from './operation.ts'
import { returned } from './outcome.ts'
import { anything, answer, dict, dicts, flag, language, optionalInteger, optionalText, text } from './read.ts'
import { scriptedModel } from './scripted-model.ts'
import { scriptedTools } from './scripted-tool.ts'

/** The agents: spec §11 to §13. */
export const agentOperations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['fncall.run', (input, context) => run(input, context, fnCallAgent)],
  ['react.run', (input, context) => run(input, context, reactAgent)],
  ['assistant.run', assistantRun],
  ['assistant.format_knowledge', formatKnowledgeOperation],
  ['assistant.knowledge_prompt', knowledgePromptOperation],
  ['agent.call_tool', callTool],
  ['agent.verify_args', verifyArguments],
  ['agent.normalize', normalize],
  ...keywordOperations,
])

function assistantRun(input: PyDict, context: OperationContext): PyDict {
  const knowledge = anything(input, 'knowledge')
  return run(input, context, (config) => assistantAgent({ ...config, knowledge }))
}

function run<State>(
  input: PyDict,
  context: OperationContext,
  agent: (config: AgentConfig) => LoopReducer<State>,
): PyDict {
  const { profile } = context
  const tools = scriptedTools(dicts(input, 'tools'), profile)
  const ask = scriptedModel(input, profile)
  const keepYields = flag(input, 'record_yields')
  const reducer = agent(readConfig(input, context, tools))
  // Converting the messages is the first thing that a run does.
  const messages = attempt(() => readConversation(input, 'messages', profile))
  const record =
    messages.kind === 'raised'
      ? runThatRaised(messages.error, keepYields)
      : runAgent(reducer, messages.value, { ask, tools, keepYields })
  return runAnswer(record, profile)
}

function readConfig(input: PyDict, context: OperationContext, { tools }: Pick<AgentConfig, 'tools'>): AgentConfig {
  const seed = anything(input, 'seed')
  const maxModelCalls = optionalInteger(input, 'max_llm_calls')
  return {
    model: readModel(input, context),
    ...readSystemMessage(input),
    ...(tools === undefined ? {} : { tools }),
    ...(maxModelCalls === null ? {} : { maxModelCalls }),
    name: optionalText(input, 'agent_name'),
    language: readLanguage(input),
    seed: typeof seed === 'bigint' ? seed : null,
  }
}

/** Absent means the default of the version, null means none. */
function readSystemMessage(input: PyDict): Pick<AgentConfig, 'systemMessage'> {
  return input.has('system_message') ? { systemMessage: optionalText(input, 'system_message') } : {}
}

function readLanguage(input: PyDict): 'en' | 'zh' | null {
  const given = language(input)
  return given === 'auto' ? null : given
}

function formatKnowledgeOperation(input: PyDict, { profile }: OperationContext): PyDict {
  const entries = formatKnowledge(anything(input, 'knowledge'), profile)
  return answer({ knowledge: entries.map(({ source, content }) => answer({ source, content })) })
}

function knowledgePromptOperation(input: PyDict, context: OperationContext): PyDict {
  const { profile } = context
  const messages = readConversation(input, 'messages', profile)
  const knowledge = anything(input, 'knowledge')
  if (!truthy(knowledge)) return answer({ messages: dumpMessages(afterMemory(messages, input, context), profile) })
  const entries = formatKnowledge(knowledge, profile)
  const block = knowledgePrompt(entries, readLanguage(input) ?? 'en')
  const dumped = block === null ? dumpMessages(messages, profile) : dumpWithKnowledge(messages, block, profile)
  return answer({ messages: dumped })
}

/** Without knowledge Memory is asked, which finds nothing here; it may refuse the messages, though. */
function afterMemory(messages: readonly Message[], input: PyDict, context: OperationContext): readonly Message[] {
  const { action } = memoryAgent({ model: readModel(input, context) }).start(messages)
  if (action.type === 'finish' && action.error !== undefined) throw raiseOf(action.error)
  return messages
}

function callTool(input: PyDict, { profile }: OperationContext): PyDict {
  const { tools, run: runTool } = scriptedTools(dicts(input, 'tools'), profile)
  const name = text(input, 'tool_name')
  if (!tools.some((tool) => tool.name === name)) return answer({ result: unknownToolText(name) })
  const given = anything(input, 'tool_args')
  const event = runTool({ name, arguments: typeof given === 'string' ? given : dumps(given) })
  if (event.type === 'tool-failed') return answer({ result: toolFailureText(name, event.error, profile) })
  return answer({ result: dumpContent(formatToolResult(event.result)) })
}

function verifyArguments(input: PyDict, { profile }: OperationContext): PyDict {
  const tool = readAgentTool(dict(input, 'tool'), 'input.tool')
  const strictJson = flag(input, 'strict_json')
  const options = { profile, validator: pythonSchemaValidator, strictJson }
  return answer({ dumps: dumps(returned(verifyToolArguments(tool, anything(input, 'params'), options))) })
}

/** An agent whose inner loop answers one message. */
function normalize(input: PyDict, context: OperationContext): PyDict {
  const { profile } = context
  const config: AgentConfig = {
    model: readModel(input, context),
    ...readSystemMessage(input),
    language: readLanguage(input),
    name: optionalText(input, 'name'),
  }
  const { messages, language: used } = beginRun(config, readConversation(input, 'messages', profile))
  const response = withName(config, [{ role: 'assistant', content: 'x' }])
  return answer({
    messages: dumpMessages(messages, profile),
    lang: used,
    response: dumpMessages(response, profile),
  })
}
