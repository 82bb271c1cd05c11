import { InputError } from '@callspec/core'
import { isDict, isList, isLiteralDict } from '@callspec/python'
import { newRole, TUTORIAL_SETTING } from '@callspec/metagpt'
import type {
  MessageFields,
  MetagptProfile,
  RoleConfig,
  RoleMode,
  RoleSetting,
  RoleState,
  RoleSurroundings,
  RoleTask,
} from '@callspec/metagpt'
import type { PyDict, PyValue } from '@callspec/python'
import {
  anything,
  dict,
  dicts,
  flag,
  optionalDict,
  optionalInteger,
  optionalList,
  optionalText,
  text,
  texts,
} from '../read.ts'
import { fromTagged } from './tagged.ts'

/** Where the classes of a case are said to live. */
const MODULE = 'conformance'

/** The role of a case: what a `role` map says, with the environment around it. */
export function readRole(input: PyDict, version: MetagptProfile): RoleConfig {
  const role = dict(input, 'role')
  const setting = readSetting(role, optionalText(input, 'class'))
  const maxReactLoop = optionalInteger(role, 'max_react_loop')
  const watch = optionalList(role, 'watch')
  return {
    version,
    setting,
    actions: dicts(role, 'actions').map((action) => readAction(action, optionalText(role, 'pass_as') === 'class')),
    mode: readMode(optionalText(role, 'react_mode')),
    ...(maxReactLoop === null ? {} : { maxReactLoop }),
    ...(watch === null ? {} : { watch: texts(role, 'watch') }),
    observesAll: flag(role, 'observe_all'),
    filtersByMemory: flag(role, 'enable_memory', true),
    automaticReview: flag(role, 'auto_run', true),
    surroundings: readSurroundings(input, setting),
  }
}

/** The state in which the role of a case begins. */
export function readRoleState(config: RoleConfig, input: PyDict): RoleState {
  const role = optionalDict(input, 'role')
  return newRole(config, role === null ? null : optionalInteger(role, 'recovered_state'))
}

/** Name, goal and so on; `TutorialAssistant` has values of its own for what is absent. */
export function readSetting(role: PyDict, className: string | null): RoleSetting {
  const isTutorial = className === 'TutorialAssistant'
  const own = isTutorial ? TUTORIAL_SETTING : PLAIN_SETTING
  const textOr = (key: string, otherwise: string): string => optionalText(role, key) ?? otherwise
  return {
    name: textOr('name', own.name),
    profile: textOr('profile', own.profile),
    goal: textOr('goal', own.goal),
    constraints: textOr('constraints', own.constraints),
    description: textOr('desc', ''),
    classPath: own.classPath,
  }
}

/** The environment of a case; `$self` stands for the role. */
export function readSurroundings(input: PyDict, setting: RoleSetting): RoleSurroundings | null {
  const env = optionalDict(input, 'env')
  if (env === null) return null
  const members = texts(env, 'roles').map((name) =>
    name === '$self' ? { name: setting.name, profile: setting.profile } : { name, profile: '' },
  )
  return { description: optionalText(env, 'desc') ?? '', members }
}

/** A message of a case: a bare text is a user message. */
export function readMessageFields(value: PyValue): MessageFields {
  if (typeof value === 'string') return { content: value }
  if (!isDict(value)) throw new InputError('input', 'A message must be a text or a map.')
  const id = anything(value, 'id')
  const sendTo = anything(value, 'send_to')
  const instructContent = fromTagged(anything(value, 'instruct_content'))
  return {
    ...(typeof id === 'string' ? { id } : {}),
    content: optionalText(value, 'content') ?? '',
    role: optionalText(value, 'role') ?? 'user',
    causeBy: optionalText(value, 'cause_by') ?? '',
    sentFrom: optionalText(value, 'sent_from') ?? '',
    sendTo: typeof sendTo === 'string' ? [sendTo] : isList(sendTo) ? sendTo.map(String) : [],
    instructContent: isLiteralDict(instructContent) ? instructContent : null,
    metadata: optionalDict(value, 'metadata') ?? new Map(),
  }
}

const PLAIN_SETTING: RoleSetting = {
  name: '',
  profile: '',
  goal: '',
  constraints: '',
  description: '',
  classPath: `${MODULE}.ScriptedRole`,
}

function readAction(action: PyDict, isClass: boolean): RoleTask {
  if (text(action, 'behaviour') === 'instruction')
    return { kind: 'instruction', instruction: text(action, 'instruction') }
  const name = text(action, 'class')
  const about = { name, classPath: `${MODULE}.${name}`, givenAs: isClass ? 'class' : 'instance' } as const
  if (text(action, 'behaviour') === 'ask') return { kind: 'ask', ...about, prompt: text(action, 'prompt') }
  return { kind: 'host', ...about }
}

function readMode(mode: string | null): RoleMode {
  if (mode === null) return 'react'
  if (mode === 'react' || mode === 'by_order' || mode === 'plan_and_act') return mode
  throw new InputError('input.role.react_mode', `must be "react", "by_order" or "plan_and_act", not "${mode}".`)
}
