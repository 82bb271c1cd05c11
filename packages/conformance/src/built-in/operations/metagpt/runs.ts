import { InputError } from '@callspec/core'
import type {
  MetagptProfile,
  RoleConfig,
  RoleFinish,
  RoleFinishReason,
  RoleInput,
  RoleMessage,
  RoleNote,
  RoleState,
} from '@callspec/metagpt'
import { actionName, composeMessage, documentLiteral, rolePrefix, taskDict, tutorialAssistant } from '@callspec/metagpt'
import { messageText } from '@callspec/metagpt/reference'
import type { PyDict, PyList, PyValue } from '@callspec/python'
import { isDict, isList } from '@callspec/python'
import { answer, flag, list, optionalDict, optionalList, optionalText } from '../operation.ts'
import type { Host, RunRecord } from './host.ts'
import { publishMessage, runHost, scriptedHost } from './host.ts'
import { readMessageFields, readRole, readRoleState, readSetting, readSurroundings, toTagged } from './input.ts'

/** `metagpt.react_run`: runs a role, several times if asked to, against scripts (MetaGPT spec §9). */
export function reactRun(input: PyDict, version: MetagptProfile): PyDict {
  const errorTexts = [...(optionalList(input, 'plan_error_texts') ?? [])]
  const planErrorText = ({ message }: { readonly message: string }): string => {
    const given = errorTexts.shift()
    return typeof given === 'string' ? given : message
  }
  const config = { ...readRole(input, version), planErrorText }
  return playRuns(input, config, (record, state) =>
    answer({
      ...runMembers(record),
      ...stateMembers(state),
      buffer_empty_after: state.queue.length === 0,
      ...(config.mode === 'plan_and_act' ? planMembers(state, config) : {}),
    }),
  )
}

/** The recordings were made with a stopped clock, and print the root as this. */
const RUN_ROOT = '<TUTORIAL_PATH>'
const RUN_FOLDER = '2024-01-02_03-04-05'

/** `metagpt.tutorial_run`: runs a tutorial assistant against a script (MetaGPT spec §6, §9). */
export function tutorialRun(input: PyDict, version: MetagptProfile): PyDict {
  const role = optionalDict(input, 'role') ?? new Map<string, PyValue>()
  const setting = readSetting(role, 'TutorialAssistant')
  const language = optionalText(role, 'language')
  const config = tutorialAssistant({
    version,
    setting,
    folder: `${RUN_ROOT}/${RUN_FOLDER}`,
    ...(language === null ? {} : { language }),
    surroundings: readSurroundings(input, setting),
  })
  return playRuns(input, config, (record, state) => {
    const { file } = record.finish
    const written =
      file !== null && isWritable(file.path) ? [[file.path.slice(RUN_ROOT.length + 1), file.text] as const] : []
    return answer({
      ...runMembers(record),
      main_title: toTagged(state.tutorial.mainTitle),
      final_markdown: toTagged(documentLiteral(state.tutorial)),
      files: new Map<string, PyValue>(written),
      actions_after: state.actions.map(actionName),
      states_after: state.states,
      ...stateMembers(state),
    })
  })
}

/** Only the folder of the date exists; what leads out of it or deeper is lost, and the error swallowed. */
function isWritable(path: string): boolean {
  const name = path.slice(RUN_ROOT.length + RUN_FOLDER.length + 2)
  const isInFolder = path.startsWith(`${RUN_ROOT}/${RUN_FOLDER}/`) && !name.includes('/')
  return isInFolder && !name.includes('\0') && utf8Length(name) <= MAX_FILE_NAME
}

/** What a file system takes, in bytes. */
const MAX_FILE_NAME = 255

function utf8Length(text: string): number {
  let length = 0
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0
    length += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return length
}

function playRuns(
  input: PyDict,
  config: RoleConfig,
  describe: (record: RunRecord, state: RoleState) => PyDict,
): PyDict {
  const host = scriptedHost(input, config)
  const system = rolePrefix(config.setting, config.surroundings ?? null, config.version)
  const runs: PyValue[] = []
  let state = readRoleState(config, input)
  let failed: RoleFinish | null = null
  for (const item of list(input, 'runs')) {
    const prepared = prepareRun(item, { host, config, state })
    const played = runHost(config, prepared.state, { input: prepared.input, host, system })
    state = played.state
    const { finish } = played.record
    const goesOn = flag(input, 'continue_after_error')
    const error = finish.error === null || !goesOn ? {} : { error: answer(errorMembers(finish)) }
    runs.push(new Map([...describe(played.record, state), ...answer(error)]))
    if (finish.error === null || goesOn) continue
    failed = finish
    break
  }
  return runAnswer(answer({ runs, ...caseMembers(host, state) }), failed)
}

interface Prepared {
  readonly state: RoleState
  readonly input: RoleInput
}

/** What a run begins with: `{put: […]}` fills the queue first, `{env_publish: …}` lets the environment speak. */
function prepareRun(
  item: PyValue,
  { host, config, state }: { readonly host: Host; readonly config: RoleConfig; readonly state: RoleState },
): Prepared {
  if (item === null || typeof item === 'string') return { state, input: item }
  if (isList(item)) return { state, input: item.map(contentOfResult) }
  if (!isDict(item)) throw new InputError('input.runs', 'An entry must be a text, a list, a map or null.')
  const put = item.get('put')
  if (isList(put)) return { state: withItems(state, put), input: null }
  const spoken = item.get('env_publish')
  if (spoken === undefined) return { state, input: { message: readMessageFields(item) } }
  const composed = composeMessage(state, readMessageFields(spoken))
  return { state: publishMessage(host, { config, ...composed }), input: null }
}

function withItems(state: RoleState, items: PyList): RoleState {
  return items.reduce<RoleState>((before, item) => {
    const composed = composeMessage(before, readMessageFields(item))
    return { ...composed.state, queue: [...composed.state.queue, composed.message] }
  }, state)
}

function contentOfResult(item: PyValue): string {
  if (typeof item === 'string') return item
  throw new InputError('input.runs', 'A list must hold texts.')
}

/** What the cases say of every run, for any role. */
export function runMembers(record: RunRecord): Readonly<Record<string, PyValue>> {
  return {
    stop: STOPS[record.finish.reason],
    trace: record.notes.map(traceEvent),
    n_llm_calls: BigInt(record.calls),
    response: record.finish.response === null ? null : messageDict(record.finish.response),
  }
}

/** What the cases say of a role after a run. */
export function stateMembers(state: RoleState): Readonly<Record<string, PyValue>> {
  return {
    memory_after: state.memory.map(messageText),
    state_after: BigInt(state.state),
    max_react_loop_after: BigInt(state.maxReactLoop),
  }
}

/** The plan of a role, and its working memory. */
export function planMembers(state: RoleState, { version }: RoleConfig): Readonly<Record<string, PyValue>> {
  const { plan, workingMemory } = state.planner
  return {
    plan: answer({
      goal: plan.goal,
      current_task_id: plan.currentTaskId,
      tasks: plan.tasks.map((task) => taskDict(task, version)),
    }),
    working_memory_after: workingMemory.map(messageText),
  }
}

/** What the cases say of all runs together. */
export function caseMembers(host: Host, state: RoleState): Readonly<Record<string, PyValue>> {
  return {
    llm_calls: host.calls.map(({ system, user }) => answer({ system, user })),
    n_llm_calls: BigInt(host.calls.length),
    llm_outputs_unused: BigInt(host.outputsLeft()),
    ...(host.humanPrompts.length === 0 ? {} : { human_prompts: host.humanPrompts }),
    ...(host.environment === null
      ? {}
      : {
          env_history: host.environment.history.map(messageDict),
          inboxes: new Map(host.environment.members.map(({ name, inbox }) => [name, inbox.map(messageText)])),
          own_inbox: state.queue.map(messageText),
        }),
  }
}

/** The whole answer: the runs, or the error that ended the last one with the runs under `partial`. */
export function runAnswer(result: PyDict, failed: RoleFinish | null): PyDict {
  return failed === null || failed.error === null
    ? result
    : answer({ error: answer({ ...errorMembers(failed), partial: result }) })
}

/** What the cases say of the error that ended a run. */
export function errorMembers({ reason, error }: RoleFinish): Readonly<Record<string, PyValue>> {
  if (error === null) return {}
  const { type, message } = error
  return { raised_type: reason === 'exited' ? type : 'Exception', cause_type: type, cause_message: message }
}

const STOPS: Readonly<Record<RoleFinishReason, string>> = {
  'no-news': 'no_news',
  'action-limit': 'max_react_loop',
  'no-todo': 'no_todo',
  'plan-finished': 'plan_finished',
  'no-open-task': 'no_open_task',
  'step-limit': 'step_limit',
  raised: 'error',
  exited: 'error',
}

function messageDict(message: RoleMessage): PyDict {
  return answer({
    content: message.content,
    role: message.role,
    cause_by: message.causeBy,
    sent_from: message.sentFrom,
    send_to: [...message.sendTo].sort(),
    str: messageText(message),
    ...(message.metadata.size === 0 ? {} : { metadata: message.metadata }),
  })
}

function traceEvent(note: RoleNote): PyDict {
  if (note.type === 'thought') {
    const { before, after, returned, todo } = note
    return answer({ event: 'think', state_before: BigInt(before), state_after: BigInt(after), returned, todo })
  }
  if (note.type === 'took-on') {
    const { id, instruction, taskType } = note.task
    return answer({ event: 'act_on_task', task_id: id, task_type: taskType, instruction })
  }
  const { action } = note
  return answer({
    event: 'act',
    state: BigInt(note.state),
    action: action === null ? null : actionName(action),
    ...(action?.kind === 'write-content' ? { directory: toTagged(action.directory) } : {}),
  })
}
