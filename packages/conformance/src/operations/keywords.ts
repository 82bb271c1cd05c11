import { dumpMessages } from '@callspec/core/qwen-agent'
import { isDict, loads } from '@callspec/python'
import { keywordAgent, KEYWORD_STRATEGIES, memoryAgent, RETRIEVAL_TOOL, VOCABULARY_TOOL } from '@callspec/qwen-agent'
import { InputError } from '@callspec/core'
import type { KeywordStrategy, LoopReducer, PreparedChat, Step } from '@callspec/qwen-agent'
import type { Message, Profile } from '@callspec/core/qwen-agent'
import type { PyDict, PyValue } from '@callspec/python'
import { readConversation, readModel } from './agent-input.ts'
import { raiseOf, runAgent } from './agent-run.ts'
import type { RunRecord } from './agent-run.ts'
import type { Operation, OperationContext } from './operation.ts'
import { answer, errorDict, language, optionalText, text } from './read.ts'
import { scriptedModel } from './scripted-model.ts'
import { scriptedTools } from './scripted-tool.ts'
import type { ScriptedTools } from './scripted-tool.ts'

/** Keywords and Memory's query: spec §13.2 and §13.3. */
export const keywordOperations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['keygen.prompt', keygenPrompt],
  ['keygen.run', keygenRun],
  ['keygen.parse', keygenParse],
])

/** Any document: without one, Memory makes no query. */
const SOME_FILE = 'document.pdf'

function keygenPrompt(input: PyDict, context: OperationContext): PyDict {
  const { action } = firstModelCall(keywords(input, context), input)
  if (action.type === 'finish' && action.error !== undefined) throw raiseOf(action.error)
  if (action.type !== 'generate') throw new InputError('input.strategy', 'makes no model call.')
  const { serviceMessages } = action.prepared
  return answer({ messages: dumpMessages(serviceMessages, context.profile), stop: stopsOf(action.prepared) })
}

/** The step that asks the model; before it some strategies ask for the words of documents. */
function firstModelCall<State>(agent: LoopReducer<State>, input: PyDict): Step<State> {
  const step = agent.start(question(input))
  return step.action.type === 'call-tool' ? agent.advance(step.state, vocabularyResult(input)) : step
}

/** What the tool that lists the words of documents answers, in every case: `vocabulary`. */
function vocabularyResult(input: PyDict): ReturnType<ScriptedTools['run']> {
  return { type: 'tool-result', result: optionalText(input, 'vocabulary') ?? '' }
}

function keygenRun(input: PyDict, context: OperationContext): PyDict {
  const { profile } = context
  const record = runScript(keywords(input, context), question(input), { input, profile })
  return answer({
    calls: record.prompts.map(({ serviceMessages }) => dumpMessages(serviceMessages, profile)),
    stops: record.prompts.map(stopsOf),
    final: record.last === null ? null : dumpMessages(record.last, profile),
    ...(record.error === null ? {} : { error: errorDict(record.error) }),
  })
}

function keygenParse(input: PyDict, context: OperationContext): PyDict {
  const { profile } = context
  const memory = memoryAgent({
    model: readModel(input, context),
    strategy: optionalText(input, 'strategy'),
    files: [SOME_FILE],
  })
  const record = runScript(memory, readConversation(input, 'messages', profile), { input, profile })
  if (record.error !== null) throw raiseOf(record.error)
  const asked = record.toolLog.find(({ tool }) => tool === RETRIEVAL_TOOL)
  const parameters = loads(asked?.args ?? '{}')
  const query = isDict(parameters) ? (parameters.get('query') ?? null) : null
  return answer({ retrieval_query: query, num_llm_calls: BigInt(record.prompts.length) })
}

interface Script {
  readonly input: PyDict
  readonly profile: Profile
}

function runScript<State>(
  agent: LoopReducer<State>,
  messages: readonly Message[],
  { input, profile }: Script,
): RunRecord {
  const none = scriptedTools([], profile)
  const run: ScriptedTools['run'] = (call) => (call.name === VOCABULARY_TOOL ? vocabularyResult(input) : none.run(call))
  return runAgent(agent, messages, { ask: scriptedModel(input, profile), tools: { ...none, run } })
}

function keywords(input: PyDict, context: OperationContext): ReturnType<typeof keywordAgent> {
  const given = language(input)
  return keywordAgent({
    model: readModel(input, context),
    strategy: readStrategy(input),
    language: given === 'auto' ? null : given,
  })
}

function readStrategy(input: PyDict): KeywordStrategy {
  const name = text(input, 'strategy')
  const known = KEYWORD_STRATEGIES.find((one) => one === name)
  if (known !== undefined) return known
  throw new InputError('input.strategy', `is unknown: "${name}". Known: ${KEYWORD_STRATEGIES.join(', ')}.`)
}

function question(input: PyDict): readonly Message[] {
  return [{ role: 'user', content: text(input, 'query') }]
}

function stopsOf({ generateCfg }: PreparedChat): PyValue {
  return generateCfg.get('stop') ?? []
}
