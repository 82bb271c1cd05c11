import type { EvalFormat, FormatTable, FormatReader } from './eval-format.ts'
import type { QwenAgentFormat, FormatName } from '../trace/format-names.ts'
import {
  DEFAULT_FORMAT_NAMES,
  QWEN_AGENT_FORMATS,
  NATIVE,
  OTHER_FORMATS,
  recordedNameOf,
  FORMAT_NAMES,
  ROLE,
  VERSIONED_FORMATS,
} from '../trace/format-names.ts'
import type { EvalApi } from '../trace/eval-api.ts'
import { formatParts } from '../trace/eval-api.ts'
import { RunError } from '../trace/run-error.ts'
import { genericReader } from './generic/reader.ts'
import { genericHost } from './generic/reducer.ts'
import { nativeReader, nativeHost, qwenAgentHost } from './qwen-agent-host.ts'
import { roleReactReader } from './role-react/reader.ts'
import { roleReactHost } from './role-react/reducer.ts'
import type { Format } from '@callspec/core'
import { promptFrame } from '@callspec/core'

/** A format of Qwen-Agent in one version: the host and the strict reader are those of that version. */
function qwenAgentEntry(name: FormatName, format: QwenAgentFormat): EvalFormat {
  const profile = format.defaultProfile
  return lateEntry({ name, id: format.id, profile, createHost: qwenAgentHost(format) }, () =>
    genericReader(format, profile),
  )
}

/**
 * All formats of an evaluation: those of core, `native` and `role-react`. The rest of the runner and of the scorers never asks
 * which format it has. Simulated models have a table of their own, because the two packages share no code.
 */
export const BUILT_IN_FORMATS: FormatTable = new Map<FormatName, EvalFormat>([
  ...[...QWEN_AGENT_FORMATS].map(([name, format]) => [name, qwenAgentEntry(name, format)] as const),
  [
    NATIVE,
    { name: NATIVE, id: NATIVE, profile: 'main', createHost: nativeHost, reader: nativeReader, needsChat: true },
  ],
  [ROLE, { name: ROLE, id: ROLE, profile: 'metagpt@v0.8.1', createHost: roleReactHost, reader: roleReactReader }],
  ...[...OTHER_FORMATS, ...VERSIONED_FORMATS].map((format) => [format.id, coreFormat(format.id, format)] as const),
])

/** A format of core. Without a prompt it can only be read. */
function coreFormat(name: FormatName, format: Format): EvalFormat {
  const [profile = 'strict'] = format.versions
  return lateEntry({ name, id: name, profile, createHost: genericHost(format), format }, () => genericReader(format))
}

/** Makes the reader on first use: making one writes prompts, and a run uses few of the thirty formats. */
function lateEntry(entry: Omit<EvalFormat, 'reader'>, makeReader: () => FormatReader): EvalFormat {
  let made: FormatReader | null = null
  return {
    ...entry,
    get reader() {
      return (made ??= makeReader())
    },
  }
}

/** The built-in formats with those of the user. @throws RunError for a format of the user with the id of a built-in one */
export function formatsWith(own: readonly Format[]): FormatTable {
  if (own.length === 0) return BUILT_IN_FORMATS
  const known = own.find(({ id }) => recordedNameOf(id) !== null || BUILT_IN_FORMATS.has(id))
  if (known !== undefined) throw new RunError(`there is a format ${known.id} already: give the format another id`)
  return new Map([...BUILT_IN_FORMATS, ...own.map((format) => [format.id, coreFormat(format.id, format)] as const)])
}

/** @throws Error for an unknown name; names from outside are checked on entry */
export function evalFormat(name: FormatName, formats: FormatTable = BUILT_IN_FORMATS): EvalFormat {
  const entry = formats.get(formatParts(name).bare)
  if (entry === undefined) throw new Error(`callspec: there is no format ${JSON.stringify(name)}`)
  return entry
}

/** The ids of the formats whose recorded replies can be read by their own readers. */
export const READ_FORMATS: readonly string[] = OTHER_FORMATS.map(({ id }) => id)

/** The version of the reference of each format. */
export const FORMAT_PROFILES: Readonly<Record<FormatName, string>> = Object.fromEntries(
  FORMAT_NAMES.map((name) => [name, evalFormat(name).profile]),
)

/** The formats that an API can send; one with an API in its name is sent over that. */
export function formatsOver(
  api: EvalApi,
  names: readonly FormatName[] = DEFAULT_FORMAT_NAMES,
  formats: FormatTable = BUILT_IN_FORMATS,
): readonly FormatName[] {
  return names.filter(
    (name) => (formatParts(name).api ?? api) !== 'completions' || evalFormat(name, formats).needsChat !== true,
  )
}

/**
 * What the prompt of a format's maker keeps from a model, a sentence each; none where it shows tools and calls and asks for its own syntax. Seen in prompts
 * that the format makes, so that it holds for untried formats, too.
 */
export function promptGaps({ id, format }: EvalFormat): readonly string[] {
  const frame = format === undefined ? null : promptFrame(format)
  if (frame === null) return []
  const says = (what: string): string =>
    `${id}: the maker's prompt does not show ${what}; what fails because of it is the prompt's fault (--prompt callspec shows them)`
  return [
    ...(frame.showsTools ? [] : [says('the tools, so that a model has to guess them')]),
    ...(frame.showsCalls ? [] : [says('the calls of earlier turns')]),
    ...(frame.otherSyntax === null ? [] : [asksOtherwise(id, frame.otherSyntax)]),
  ]
}

function asksOtherwise(id: FormatName, example: string): string {
  return `${id}: the maker's prompt asks for calls in another syntax, ${example}, which are no calls in this format; what fails because of it is the prompt's fault (--prompt callspec asks for the format's own)`
}

/** Whether a format has a prompt of its own, so that `--prompt` can choose another. */
export function hasFormatPrompt({ format }: EvalFormat): boolean {
  return format !== undefined && format.prompt !== null
}
