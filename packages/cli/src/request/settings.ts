import { FORMAT_IDS } from '@callspec/core/formats'
import { formats, PROFILE_NAMES } from '@callspec/core/qwen-agent'
import { isList } from '@callspec/python'
import type { Options, OptionTable } from '../command.ts'
import { deprecating } from '../command.ts'
import { didYouMean, UsageError } from '../usage-error.ts'
import type { RequestMember, RequestFile } from './request-file.ts'

const DATA_MEMBERS: readonly string[] = ['messages', 'tools']
/** Remarks, ignored. */
const REMARKS: readonly string[] = ['about', 'name', 'id', 'note', '$schema']

/**
 * Settings of `options`, else of the file. Every option is also a key of the file, in any spelling.
 */
export function mergeSettings(options: Options, file: RequestFile | null): Options {
  const fromFile = (name: string): unknown => file?.members.get(name)?.value ?? null
  return {
    flag: (name) => options.choice(name) ?? fromFile(name) === true,
    choice: (name) => {
      const given = options.choice(name) ?? fromFile(name)
      return typeof given === 'boolean' ? given : null
    },
    text: (name) => {
      const given = options.text(name) ?? fromFile(name)
      return typeof given === 'string' ? given : null
    },
    list: (name) => {
      const given = options.list(name)
      const written = fromFile(name)
      if (given.length > 0) return given
      return typeof written === 'string' ? [written] : isList(written) ? (written as readonly string[]) : []
    },
    integer: (name, limits = {}) => options.integer(name, limits) ?? fileNumber(file, name, limits),
    number: (name, limits = {}) => options.number(name, limits) ?? fileNumber(file, name, limits),
  }
}

/**
 * Checks every member of the file that is not data.
 *
 * @throws UsageError with file and line for an unknown key, or a value of the wrong kind
 */
export function checkSettings(table: OptionTable, file: RequestFile, otherMembers: readonly string[] = []): void {
  const silent = [...DATA_MEMBERS, ...REMARKS, ...otherMembers]
  for (const [name, member] of file.members) {
    if (silent.includes(name)) continue
    const fault = Object.hasOwn(table, name) ? wrongKind(table, name, member) : unknownKey(table, member, silent)
    if (fault !== null) throw new UsageError(`${file.place(member.key)}: ${fault}`)
  }
}

function unknownKey(table: OptionTable, member: RequestMember, silent: readonly string[]): string {
  const known = [...silent, ...Object.keys(table)].map((name) => name.replace(/-/g, () => '_'))
  return `unknown key "${member.key}".${didYouMean(member.key, known) || ` Known: ${known.join(', ')}.`}`
}

function wrongKind(table: OptionTable, name: string, { key, value }: RequestMember): string | null {
  const spec = table[name]
  if (spec === undefined || value === null) return null
  if (spec.value === undefined) return typeof value === 'boolean' ? null : `"${key}" must be true or false.`
  if (spec.value === 'N') return typeof value === 'bigint' ? null : `"${key}" must be a whole number.`
  const isText = typeof value === 'string'
  if (spec.repeat === true) {
    const isTexts = isList(value) && value.every((item) => typeof item === 'string')
    return isText || isTexts ? null : `"${key}" must be a list of strings.`
  }
  if (!isText) return `"${key}" must be a string.`
  if (spec.choices === undefined || spec.choices.includes(value)) return null
  return `"${key}" is "${value}".${didYouMean(value, spec.choices)} Known: ${spec.choices.join(', ')}.`
}

function fileNumber(
  file: RequestFile | null,
  name: string,
  { min = -Infinity, max = Infinity }: { readonly min?: number; readonly max?: number },
): number | null {
  const member = file?.members.get(name)
  if (member === undefined || (typeof member.value !== 'bigint' && typeof member.value !== 'number')) return null
  const value = Number(member.value)
  if (value >= min && value <= max) return value
  const range = max === Infinity ? `at least ${min}` : `from ${min} to ${max}`
  throw new UsageError(`${file?.place(member.key) ?? ''}: "${member.key}" must be ${range}, not ${value}.`)
}

/** Settings of render and parse. */
export const FORMAT_SETTINGS: OptionTable = {
  format: {
    short: 'f',
    value: 'NAME',
    suggested: FORMAT_IDS,
    help: 'One that callspec formats lists, or a module such as ./my-format.mjs that exports `format`.',
  },
  profile: {
    value: 'NAME',
    help:
      `Version of the reference; of Qwen-Agent ${PROFILE_NAMES.join(', ')}. Default: ${defaultVersions()}, strict for ` +
      'all others.',
  },
  parallel: { negatable: true, help: 'Several calls per answer (parallel_function_calls).' },
  'function-choice': { value: 'NAME', help: 'auto, none, or the name of a tool. Default: auto.' },
  'code-mode': {
    negatable: true,
    help: 'SPECIAL_CODE_MODE: code of a code_interpreter is outside the JSON, in formats that have it.',
  },
}

/** The key for further settings of the chat call: a map, so not an option. */
export const GENERATE_CFG = 'generate-cfg'

export const RENDER_SETTINGS: OptionTable = {
  ...FORMAT_SETTINGS,
  lang: { value: 'LANG', choices: ['auto', 'en', 'zh'], help: 'Language of the template. Default: auto.' },
  as: {
    value: 'SHAPE',
    choices: ['messages', 'text', 'chatml', 'parts'],
    help:
      'messages: JSON as the service gets it; text: the contents alone; chatml: one text with role markers; parts: JSON, ' +
      'tokens apart from texts. Formats with a prompt of their own: text (the default) or parts.',
  },
  multimodal: { negatable: true, help: 'The model takes images: they stay in the messages.' },
  audio: { negatable: true, help: 'The model takes audio: it stays in the messages.' },
  model: { short: 'm', value: 'NAME', help: 'Name of the model, where a version looks at it (v0.0.16: qwq).' },
  client: {
    value: 'NAME',
    choices: ['openai', 'dashscope'],
    help: 'The client of the chat call; they continue an answer differently. Default: openai.',
  },
  'raw-api': {
    negatable: true,
    help:
      'The service takes calls and tools natively (use_raw_api): messages stay as they are, and --as messages shows ' +
      '{messages, tools} where there are tools.',
  },
  'allow-special': {
    negatable: true,
    help: 'With --as chatml: allow calls and all roles (allow_special) instead of raising.',
  },
  'default-system': { value: 'TEXT', help: 'Default system message, in place of that of the version.' },
  'max-input-tokens': { value: 'N', help: 'Truncate as the chat call does. Default: 0, do not truncate.' },
}

/** `v0.0.26 for qwen, main for nous and react`. */
function defaultVersions(): string {
  const all = Object.values(formats)
  const versions = [...new Set(all.map(({ defaultProfile }) => defaultProfile))]
  const idsAt = (version: string): readonly string[] =>
    all.filter(({ defaultProfile }) => defaultProfile === version).map(({ id }) => id)
  return versions.map((version) => `${version} for ${idsAt(version).join(' and ')}`).join(', ')
}

/** Rare settings, which become keys of the file only. */
const RARE_SETTINGS: readonly string[] = [
  ...['code-mode', 'multimodal', 'audio', 'client', 'raw-api', 'allow-special', 'max-input-tokens'],
]

/** The options of a command that also reads settings from a file: rare ones are deprecated. */
export function settingOptions(
  settings: OptionTable,
  { file, rare = RARE_SETTINGS }: { readonly file: string; readonly rare?: readonly string[] },
): OptionTable {
  return deprecating(
    settings,
    Object.fromEntries(rare.map((name) => [name, `write ${name.replaceAll('-', () => '_')} in ${file}`])),
  )
}
