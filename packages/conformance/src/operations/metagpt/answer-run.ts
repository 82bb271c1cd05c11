import { actionName, taskDict } from '@callspec/metagpt'
import { messageText } from '@callspec/metagpt/reference'
import type { PyDict, PyValue } from '@callspec/python'
import type { RoleConfig, RoleFinish, RoleFinishReason, RoleMessage, RoleNote, RoleState } from '@callspec/metagpt'
import { answer } from '../read.ts'
import type { Host, RunRecord } from './host.ts'
import { toTagged } from './tagged.ts'

/** What the cases say of every run, whatever the role. */
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
