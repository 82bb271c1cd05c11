import type { LoopEvent, LoopReducer, Step } from '../../loop.ts'
import type { FunctionCall, Message } from '../../message.ts'
import type { PyValue } from '../../python/value.ts'
import { attempt, Raise } from '../../raise.ts'
import type { ReferenceError } from '../../raise.ts'
import { prepareChat } from '../chat/prepare.ts'
import { beginRun, messagesForCall, withName } from './agent.ts'
import type { AgentConfig, AgentRun } from './agent.ts'
import { agentToolDefinition, toolsByName } from './agent-tool.ts'
import { filesForTool } from './files.ts'
import { eventAfterEnd, finish, generate, modelEvent, pendingOf, readReply, toolEvent } from './model-call.ts'
import type { ModelEvent, PendingChat, ToolEvent } from './model-call.ts'
import { formatToolResult, toolFailureText, unknownToolText } from './tool-result.ts'

/** Where a function-calling run stands. */
export interface FnCallState {
  readonly phase: 'begins' | 'waits-for-model' | 'waits-for-tool' | 'over'
  readonly language: 'en' | 'zh'
  readonly modelCallsLeft: number
  /** What the model sees, without an agent text that is added at every call. */
  readonly messages: readonly Message[]
  /** What the agent has answered so far. */
  readonly response: readonly Message[]
  /** The list that was emitted last. */
  readonly emitted: readonly Message[]
  /** The chat call that a completion is waited for. */
  readonly pending: PendingChat | null
  /** Messages of the last reply that still have to be looked at; a result is waited for the first one's call. */
  readonly unexamined: readonly Message[]
  readonly calledTool: boolean
}

type FnCallStep = Step<FnCallState>
type Emissions = FnCallStep['emissions']

/** A step whose action is not decided yet. */
interface Progress {
  readonly state: FnCallState
  readonly emissions: Emissions
}

/** The function-calling agent (spec §11.2) as a reducer. */
export function fnCallAgent(config: AgentConfig): LoopReducer<FnCallState> {
  return {
    start: (messages) => startFnCall(config, messages),
    advance: (state, event) => advanceFnCall(config, state, event),
  }
}

/** The first step of a run. A raise of the reference ends the run, it does not throw. */
export function startFnCall(config: AgentConfig, messages: readonly Message[]): FnCallStep {
  const run = attempt(() => beginRun(config, messages))
  if (run.kind === 'returned') return startFnCallLoop(config, run.value)
  return raised(stateOf(config, { messages, language: 'en' }), [], run.error)
}

/** The first step of the loop itself, for messages that have been through the beginning of `run()`. */
export function startFnCallLoop(config: AgentConfig, run: AgentRun): FnCallStep {
  return askModel(config, { state: stateOf(config, run), emissions: [] })
}

/** The step after an event. @throws InputError for an event that the state does not wait for */
export function advanceFnCall(config: AgentConfig, state: FnCallState, event: LoopEvent): FnCallStep {
  if (state.phase === 'waits-for-model') return afterReply(config, state, modelEvent(event))
  if (state.phase === 'waits-for-tool') return afterTool(config, state, toolEvent(event))
  return eventAfterEnd(event)
}

function stateOf(config: AgentConfig, run: AgentRun): FnCallState {
  return {
    phase: 'begins',
    language: run.language,
    modelCallsLeft: config.maxModelCalls ?? config.model.profile.maxModelCalls,
    messages: run.messages,
    response: [],
    emitted: [],
    pending: null,
    unexamined: [],
    calledTool: false,
  }
}

function askModel(config: AgentConfig, { state, emissions }: Progress): FnCallStep {
  if (state.modelCallsLeft <= 0) return ended(config, { state, emissions }, 'model-call-limit')
  const functions = [...toolsByName(config.tools ?? []).values()].map((tool) =>
    agentToolDefinition(tool, config.model.profile),
  )
  const prepared = attempt(() =>
    prepareChat(config.model, {
      messages: messagesForCall(config, state.messages),
      functions,
      extraGenerateCfg: extraCfg(config, state.language),
    }),
  )
  if (prepared.kind === 'raised') return raised(state, emissions, prepared.error)
  const next: FnCallState = {
    ...state,
    phase: 'waits-for-model',
    modelCallsLeft: state.modelCallsLeft - 1,
    pending: pendingOf(prepared.value),
    calledTool: false,
  }
  return { state: next, emissions, action: generate(prepared.value) }
}

function extraCfg({ model, seed }: AgentConfig, language: string): ReadonlyMap<string, PyValue> {
  const extra = new Map<string, PyValue>([['lang', language]])
  if (model.profile.agentSeed && typeof seed === 'bigint') extra.set('seed', seed)
  return extra
}

function afterReply(config: AgentConfig, state: FnCallState, event: ModelEvent): FnCallStep {
  if (state.pending === null) return eventAfterEnd(event)
  const { lists, error } = readReply(config.model, state.pending, event)
  const emissions = lists.map((list) => [...state.response, ...withName(config, list)])
  const answered = { ...state, pending: null, emitted: emissions.at(-1) ?? state.emitted }
  if (error !== null) return raised(answered, emissions, error)
  // as in the reference: an empty reply is no answer, the model is simply asked again (spec §16 Q3).
  const output = withName(config, lists.at(-1) ?? [])
  if (output.length === 0) return askModel(config, { state: answered, emissions })
  const next = {
    ...answered,
    messages: [...state.messages, ...output],
    response: [...state.response, ...output],
    unexamined: output,
  }
  return callTools(config, { state: next, emissions })
}

/** Looks at the messages of the reply one by one, up to the first call that needs the driver. */
function callTools(config: AgentConfig, progress: Progress): FnCallStep {
  const { unexamined } = progress.state
  let step = progress
  for (const [at, message] of unexamined.entries()) {
    const call = message.function_call
    if (!call) continue
    const tool = toolsByName(config.tools ?? []).get(call.name)
    if (tool !== undefined) {
      const waits: FnCallState = { ...step.state, phase: 'waits-for-tool', unexamined: unexamined.slice(at) }
      const files = tool.fileAccess === true ? filesForTool(step.state.messages, config.files ?? []) : null
      return { state: waits, emissions: step.emissions, action: { type: 'call-tool', call, by: 'agent', files } }
    }
    const added = attempt(() => addResult(config, step, { call, message, content: unknownToolText(call.name) }))
    if (added.kind === 'raised') return raised(step.state, step.emissions, added.error)
    step = added.value
  }
  const examined: Progress = { state: { ...step.state, unexamined: [] }, emissions: step.emissions }
  return examined.state.calledTool ? askModel(config, examined) : ended(config, examined, 'answered')
}

function afterTool(config: AgentConfig, state: FnCallState, event: ToolEvent): FnCallStep {
  const [message, ...unexamined] = state.unexamined
  const call = message?.function_call
  if (!message || !call) return eventAfterEnd(event)
  const step = attempt(() => {
    const content = resultOf(config, call, event)
    return addResult(config, { state: { ...state, unexamined }, emissions: [] }, { call, message, content })
  })
  if (step.kind === 'raised') return raised({ ...state, unexamined }, [], step.error)
  return callTools(config, step.value)
}

function resultOf(config: AgentConfig, call: FunctionCall, event: ToolEvent): Message['content'] {
  if (event.type === 'tool-failed') return toolFailureText(call.name, event.error, config.model.profile)
  return formatToolResult(event.result)
}

interface Answered {
  readonly call: FunctionCall
  /** The message with the call. */
  readonly message: Message
  readonly content: Message['content']
}

function addResult(
  config: AgentConfig,
  { state, emissions }: Progress,
  { call, message, content }: Answered,
): Progress {
  const extra = config.model.profile.functionIds ? { extra: functionId(message) } : {}
  const result = withName(config, [{ role: 'function', content, name: call.name, ...extra }])
  const response = [...state.response, ...result]
  const messages = [...state.messages, ...result]
  return {
    state: { ...state, messages, response, emitted: response, calledTool: true },
    emissions: [...emissions, response],
  }
}

/** as in the reference: a message without `extra` breaks the run after its tool has been called (spec §16 Q2). */
function functionId(message: Message): ReadonlyMap<string, PyValue> {
  if (!message.extra) throw new Raise('AttributeError', "'NoneType' object has no attribute 'get'")
  const id = message.extra.get('function_id')
  return new Map([['function_id', id === undefined ? '1' : id]])
}

function raised(state: FnCallState, emissions: Emissions, error: ReferenceError): FnCallStep {
  return finish(over(state), emissions, { reason: 'raised', last: state.emitted, error })
}

/** The end of a run that did not raise: the whole response is emitted once more, where the profile does so. */
function ended(config: AgentConfig, step: Progress, reason: 'answered' | 'model-call-limit'): FnCallStep {
  const { state } = step
  const emissions = config.model.profile.reEmitsAtEnd ? [...step.emissions, state.response] : step.emissions
  return finish(over({ ...state, emitted: emissions.at(-1) ?? state.emitted }), emissions, {
    reason,
    last: state.emitted,
  })
}

function over(state: FnCallState): FnCallState {
  return { ...state, phase: 'over', pending: null, unexamined: [] }
}
