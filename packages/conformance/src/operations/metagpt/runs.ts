import { actionName, composeMessage, documentLiteral, rolePrefix, tutorialAssistant } from '@callspec/metagpt'
import { isDict, isList } from '@callspec/python'
import { InputError } from '@callspec/core'
import type { MetagptProfile, RoleConfig, RoleFinish, RoleInput, RoleState } from '@callspec/metagpt'
import type { PyDict, PyList, PyValue } from '@callspec/python'
import { answer, flag, list, optionalDict, optionalList, optionalText } from '../read.ts'
import { caseMembers, errorMembers, planMembers, runAnswer, runMembers, stateMembers } from './answer-run.ts'
import type { Host, RunRecord } from './host.ts'
import { publish, runOnce, scriptedHost } from './host.ts'
import { readMessageFields, readRole, readRoleState, readSetting, readSurroundings } from './input.ts'
import { toTagged } from './tagged.ts'

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
const ROOT = '<TUTORIAL_PATH>'
const FOLDER = '2024-01-02_03-04-05'

/** `metagpt.tutorial_run`: runs a tutorial assistant against a script (MetaGPT spec §6, §9). */
export function tutorialRun(input: PyDict, version: MetagptProfile): PyDict {
  const role = optionalDict(input, 'role') ?? new Map<string, PyValue>()
  const setting = readSetting(role, 'TutorialAssistant')
  const language = optionalText(role, 'language')
  const config = tutorialAssistant({
    version,
    setting,
    folder: `${ROOT}/${FOLDER}`,
    ...(language === null ? {} : { language }),
    surroundings: readSurroundings(input, setting),
  })
  return playRuns(input, config, (record, state) => {
    const { file } = record.finish
    const written =
      file !== null && isWritable(file.path) ? [[file.path.slice(ROOT.length + 1), file.text] as const] : []
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
  const name = path.slice(ROOT.length + FOLDER.length + 2)
  const isInFolder = path.startsWith(`${ROOT}/${FOLDER}/`) && !name.includes('/')
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
    const played = runOnce(config, prepared.state, { input: prepared.input, host, system })
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
  if (isList(item)) return { state, input: item.map(textOf) }
  if (!isDict(item)) throw new InputError('input.runs', 'An entry must be a text, a list, a map or null.')
  const put = item.get('put')
  if (isList(put)) return { state: filled(state, put), input: null }
  const spoken = item.get('env_publish')
  if (spoken === undefined) return { state, input: { message: readMessageFields(item) } }
  const composed = composeMessage(state, readMessageFields(spoken))
  return { state: publish(host, { config, ...composed }), input: null }
}

function filled(state: RoleState, items: PyList): RoleState {
  return items.reduce<RoleState>((before, item) => {
    const composed = composeMessage(before, readMessageFields(item))
    return { ...composed.state, queue: [...composed.state.queue, composed.message] }
  }, state)
}

function textOf(item: PyValue): string {
  if (typeof item === 'string') return item
  throw new InputError('input.runs', 'A list must hold texts.')
}
