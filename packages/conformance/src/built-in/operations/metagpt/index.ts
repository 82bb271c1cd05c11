import type { MetagptProfile, StructType } from '@callspec/metagpt'
import {
  extractState,
  METAGPT_DEFAULT_PROFILE,
  metagptProfileNamed,
  roleMessage,
  rolePrefix,
  structErrorPrefix,
  think,
  validState,
} from '@callspec/metagpt'
import { extractStruct } from '@callspec/metagpt/reference'
import type { PyDict } from '@callspec/python'
import { Raise, repr } from '@callspec/python'
import type { Operation, OperationContext } from '../operation.ts'
import { outcomeValue, answer, dict, integer, list, optionalInteger, optionalText, text } from '../operation.ts'
import { readMessageFields, readRole, readRoleState, readSetting, readSurroundings, toTagged } from './input.ts'
import { reactRun, tutorialRun } from './runs.ts'

/**
 * MetaGPT's roles: MetaGPT spec §9. An error of the reference has a form of its own here, with the runs before it, so it
 * is part of the answer, under `error`.
 */
export const metagptOperations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['metagpt.extract_state', extractStateOperation],
  ['metagpt.prefix', prefix],
  ['metagpt.state_prompt', statePromptOperation],
  ['metagpt.extract_struct', extractStructOperation],
  ['metagpt.react_run', (input, context) => reactRun(input, roleVersion(context))],
  ['metagpt.tutorial_run', (input, context) => tutorialRun(input, roleVersion(context))],
])

function roleVersion({ roleProfile }: OperationContext): MetagptProfile {
  const version = roleProfile ?? metagptProfileNamed(METAGPT_DEFAULT_PROFILE)
  if (version === null) throw new Error('callspec: the default profile is missing.')
  return version
}

/** Where the reference picks one of several digits, this is the first; the case lists all that are right. */
function extractStateOperation(input: PyDict): PyDict {
  const { extracted } = extractState(text(input, 'content'))
  const state = validState(extracted, integer(input, 'n_states'))
  return answer({ extracted, state: BigInt(state), todo: state < 0 ? null : `Act${state}` })
}

function prefix(input: PyDict, context: OperationContext): PyDict {
  const setting = readSetting(dict(input, 'role'), optionalText(input, 'class'))
  const own = rolePrefix(setting, readSurroundings(input, setting), roleVersion(context))
  return answer({ prefix: own, llm_system_prompt: own })
}

/** One think of a role with a memory, without a run around it. */
function statePromptOperation(input: PyDict, context: OperationContext): PyDict {
  const config = readRole(input, roleVersion(context))
  const begun = readRoleState(config, input)
  const state = {
    ...begun,
    memory: list(input, 'history').map((item, at) => roleMessage(readMessageFields(item), at)),
    state: optionalInteger(input, 'previous_state') ?? begun.state,
  }
  const states = state.states
  const thought = outcomeValue(think(config, state))
  if (thought.kind === 'chosen') {
    return answer({ prompt: null, system: null, states, n_llm_calls: 0n, next_state: BigInt(thought.state) })
  }
  const next = validState(extractState(optionalText(input, 'llm_output') ?? '0').extracted, states.length)
  const { prompt, system } = thought
  return answer({ prompt, system, states, n_llm_calls: 1n, next_state: BigInt(next) })
}

function extractStructOperation(input: PyDict): PyDict {
  const type = structType(text(input, 'data_type'))
  try {
    const value = extractStruct(text(input, 'text'), type)
    return answer({ value: toTagged(value), python_repr: repr(value) })
  } catch (error) {
    if (error instanceof Raise) return answer({ error: structError(error, type) })
    throw error
  }
}

/** `str:list` is the name of a type where a type is asked for. */
function structType(text: string): StructType {
  return text === 'dict' || text === 'list' ? text : { named: text.replace(/^str:/, '') }
}

function structError({ type, message }: Raise, asked: StructType): PyDict {
  const prefix = structErrorPrefix(asked)
  if (type !== 'Exception') return answer({ type, detail: message, wrapped: false })
  return answer({ type, prefix, detail: message.slice(prefix.length), wrapped: true })
}
