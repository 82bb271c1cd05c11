import type { Format } from '@callspec/core'
import { FORMATS } from '@callspec/core'
import { parserNames } from '@callspec/core/identify'
import { formats } from '@callspec/core/qwen-agent'
import { formatOver, formatParts } from './eval-api.ts'

/**
 * The name of a format in run folders. It is the id of the format, with two exceptions of the first versions: `fncall-nous` for
 * nous and `fncall-qwen` for qwen.
 */
export type FormatName = string

function recordedAs({ id, recordedAs: name = id }: Pick<Format, 'id' | 'recordedAs'>): FormatName {
  return name
}

/** The formats whose replies a host of Qwen-Agent reads. */
export const QWEN_AGENT_FORMATS: ReadonlyMap<FormatName, QwenAgentFormat> = new Map(
  Object.values(formats).map((format) => [recordedAs(format), format]),
)

/** A format that a version of Qwen-Agent reads. */
export type QwenAgentFormat = (typeof formats)[keyof typeof formats]

/** The server writes the tools into the prompt, in a format that it does not name. */
export const NATIVE = 'native'

/** A role of MetaGPT, which picks a tool by its number. */
export const ROLE = 'role-react'

/** The formats that have a host loop of their own. */
export const OWN_LOOP_FORMATS: readonly FormatName[] = [...QWEN_AGENT_FORMATS.keys(), NATIVE, ROLE]

export const OTHER_FORMATS: typeof FORMATS = FORMATS.filter((format) => !QWEN_AGENT_FORMATS.has(recordedAs(format)))

/** The formats with a prompt. One host loop plays all of them. */
export const PROMPTED_FORMATS: typeof FORMATS = OTHER_FORMATS.filter(({ prompt }) => prompt !== null)

/** The formats that can be read but not evaluated, and why. */
export const UNASKED_FORMATS: ReadonlyMap<string, string> = new Map(
  OTHER_FORMATS.filter(({ prompt }) => prompt === null).map(({ id }) => [
    id,
    'the format has no prompt of its own; it can only be read, such as by callspec score.',
  ]),
)

/** Versions that have a prompt of their own, each as a format: `qwen3.5@nemotron-3`. The prompts of a program, `vllm@2dbd5be`, are left out. */
export const VERSIONED_FORMATS: typeof FORMATS = FORMATS.flatMap(({ versions, inVersion }) =>
  versions
    .filter((version) => !version.includes('@'))
    .flatMap((version) => inVersion?.(version) ?? [])
    .filter(({ prompt }) => prompt !== null),
)

/** The formats that can be evaluated, each once. */
export const UNVERSIONED_NAMES: readonly FormatName[] = [...OWN_LOOP_FORMATS, ...PROMPTED_FORMATS.map(({ id }) => id)]

/** The formats that can be evaluated, and their versions. */
export const FORMAT_NAMES: readonly FormatName[] = [...UNVERSIONED_NAMES, ...VERSIONED_FORMATS.map(({ id }) => id)]

/** The formats that are evaluated by default: those of Qwen-Agent, and `native`. */
export const DEFAULT_FORMAT_NAMES: readonly FormatName[] = [...QWEN_AGENT_FORMATS.keys(), NATIVE]

/** The id of a format, which commands take and tables show: `nous` for `fncall-nous`, with the API where the name has one. */
export function formatId(name: FormatName): string {
  const { bare, api } = formatParts(name)
  const id = QWEN_AGENT_FORMATS.get(bare)?.id ?? bare
  return api === null ? id : formatOver(id, api)
}

/** How tables and messages name a row: `sim/faulty nous`. */
export function rowName({ model, protocol }: { readonly model: string; readonly protocol: FormatName }): string {
  return `${model} ${formatId(protocol)}`
}

/** The ids of `DEFAULT_FORMAT_NAMES`. */
export const DEFAULT_FORMATS: readonly string[] = DEFAULT_FORMAT_NAMES.map(formatId)

/** What a user may write for a format: the ids, in the order of `FORMAT_NAMES`, then the names in run folders. */
export const FORMAT_CHOICES: readonly string[] = [...new Set([...FORMAT_NAMES.map(formatId), ...FORMAT_NAMES])]

const BY_ID: ReadonlyMap<string, FormatName> = new Map(FORMATS.map((format) => [format.id, recordedAs(format)]))

/** The name in run folders of a format, given by its id or by that name; null for an unknown one. */
export function recordedNameOf(idOrName: string): FormatName | null {
  const { bare, api } = formatParts(idOrName)
  const name = BY_ID.get(bare) ?? bare
  if (!FORMAT_NAMES.includes(name)) return null
  return api === null ? name : formatOver(name, api)
}

const BY_ALIAS: ReadonlyMap<string, FormatName> = new Map(
  FORMATS.flatMap((format) => (format.aliases ?? []).map((name) => [name, recordedAs(format)] as const)),
)

/** As `recordedNameOf`; an alias is known, too. */
export function recordedNameOfAlias(name: string): FormatName | null {
  return recordedNameOf(name) ?? BY_ALIAS.get(name) ?? null
}

/** The format of Qwen-Agent that servers have parsers for: models write it unless the prompt shows another. */
export const SERVED_FORMAT: FormatName = qwenAgentNameWhere(({ id }) => parserNames(id)?.vllm.length !== 0)

/** The format of Qwen-Agent in which a model marks its answer with words. Servers give no meaning to its markers. */
export const WORDED_FORMAT: FormatName = qwenAgentNameWhere(({ markers }) => markers.answer !== undefined)

function qwenAgentNameWhere(fits: (format: QwenAgentFormat) => boolean): FormatName {
  for (const [name, format] of QWEN_AGENT_FORMATS) if (fits(format)) return name
  throw new Error('callspec: no format of Qwen-Agent is of the wanted kind. Please report this.')
}
