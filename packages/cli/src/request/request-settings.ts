import { formats, PROFILE_NAMES } from '@callspec/core/qwen-agent'
import { deprecating } from '../command.ts'
import type { OptionTable } from '../command.ts'
import { FORMAT_NAMES } from '../formats.ts'

/** Settings that both directions share: which format, and how the tools are offered. */
export const FORMAT_SETTINGS: OptionTable = {
  format: {
    short: 'f',
    value: 'NAME',
    suggested: FORMAT_NAMES,
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
    help: 'SPECIAL_CODE_MODE: code of a code_interpreter stands outside the JSON, in the format that has it.',
  },
}

/** The key for further settings of the chat call: a map, which no flag can hold. */
export const GENERATE_CFG = 'generate-cfg'

/** Settings of rendering, beyond those. */
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

/** Settings that are rarely given. They become keys of a file alone. */
const RARE: readonly string[] = [
  ...['code-mode', 'multimodal', 'audio', 'client', 'raw-api', 'allow-special', 'max-input-tokens'],
]

/** The options of settings for a command that also reads them from a file: those that are rarely given are deprecated. */
export function settingOptions(
  settings: OptionTable,
  { file, rare = RARE }: { readonly file: string; readonly rare?: readonly string[] },
): OptionTable {
  return deprecating(
    settings,
    Object.fromEntries(rare.map((name) => [name, `write ${name.replaceAll('-', () => '_')} in ${file}`])),
  )
}
