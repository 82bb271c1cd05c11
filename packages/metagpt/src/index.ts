/*
 * MetaGPT's role loop and its tutorial assistant. What can raise in the reference answers with an `Outcome`; the raising
 * forms are in `reference.ts`.
 */
export { actionName } from './action.ts'
export type { ActionResult, RoleTask } from './action.ts'
export { isAddressedTo, publishTo } from './environment.ts'
export type { Environment } from './environment.ts'
export { extractState, validState } from './next-state.ts'
export { structErrorPrefix } from './extract-struct.ts'
export type { StructType } from './extract-struct.ts'
export { roleMessage } from './message.ts'
export type { MessageFields, RoleMessage } from './message.ts'
export {
  chaptersOf,
  contentPrompt,
  extractStruct,
  historyText,
  messageText,
  planPrompt,
  statePrompt,
} from './outcome.ts'
export { planCode } from './plan/plan-prompt.ts'
export { currentTask } from './plan/plan.ts'
export type { Plan } from './plan/plan.ts'
export { taskDict } from './plan/task.ts'
export type { TaskResult } from './plan/task.ts'
export { rolePrefix } from './prefix.ts'
export type { RoleSetting, RoleSurroundings } from './prefix.ts'
export { METAGPT_DEFAULT_PROFILE, METAGPT_PROFILE_NAMES, metagptProfileNamed } from './profile.ts'
export type { MetagptProfile } from './profile.ts'
export { newRole, roleAddresses } from './role.ts'
export type {
  RoleAction,
  RoleConfig,
  RoleEvent,
  RoleFinish,
  RoleFinishReason,
  RoleInput,
  RoleMode,
  RoleNote,
  RoleState,
  RoleStep,
} from './role.ts'
export { advanceRole, composeMessage, deliver, startRole, think } from './run-role.ts'
export { createStateParser } from './next-state.ts'
export type { StateParser } from './next-state.ts'
export type { StatePromptRequest } from './next-state.ts'
export { tutorialAssistant } from './role.ts'
export type { TutorialOptions } from './role.ts'
export { TUTORIAL_SETTING, directoryPrompt, documentLiteral } from './tutorial/tutorial.ts'
export type { TutorialState } from './tutorial/tutorial.ts'
