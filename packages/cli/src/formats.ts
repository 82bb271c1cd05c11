import { FORMAT_IDS, loadFormat } from '@callspec/core/formats'
import { grammarFormat } from '@callspec/core/grammar'
import { formats, profileNamed } from '@callspec/core/qwen-agent'
import type { Format } from '@callspec/core'
import type { GrammarFormat } from '@callspec/core/grammar'
import type { FormatName, Profile } from '@callspec/core/qwen-agent'
import { exportsOf, importModule } from './found-files.ts'
import { isModulePath } from './input-file.ts'
import { didYouMean, messageOf, UsageError } from './usage-error.ts'

/** A format exported by a user's module. It is plain JavaScript, so each member is checked. */
export interface UserFormat {
  readonly id: string
  readonly stopWords?: readonly string[]
  render?(request: object): unknown
  parse?(text: string, options: object): unknown
}

/** A user's format, with the value of `--profile`, which only the format interprets. */
export interface ModuleFormat {
  readonly kind: 'module'
  readonly path: string
  readonly format: UserFormat
  readonly profile: string | null
}

/** A format as one value, in one version: from the registry or from a module. */
export interface WholeFormat {
  readonly kind: 'format'
  readonly format: Format
  readonly version: string
  readonly path: string
  readonly isModule: boolean
}

/** The format that `--format` names: one of Qwen-Agent in one version, any other, or a module in the older form. */
export type ChosenFormat =
  { readonly kind: 'built-in'; readonly id: FormatName; readonly profile: Profile } | WholeFormat | ModuleFormat

/** `fncall` is `qwen, nous`: Qwen-Agent's name for several formats, as their runs record it. */
export const FORMAT_FAMILIES: ReadonlyMap<string, string> = familiesOf(Object.values<Format>(formats))

function familiesOf(all: readonly Format[]): ReadonlyMap<string, string> {
  const families = new Map<string, string>()
  for (const { id, recordedAs = '' } of all) {
    if (!recordedAs.endsWith(`-${id}`)) continue
    const family = recordedAs.slice(0, -id.length - 1)
    const others = families.get(family)
    families.set(family, others === undefined ? id : `${others}, ${id}`)
  }
  return families
}

/** What to do where no format is named. */
export const WHICH_FORMAT = 'Give --format NAME (callspec formats lists them), or a file such as ./my-format.mjs'

/** The format in the examples of the help. */
export const EXAMPLE_FORMAT: string = FORMAT_IDS[0] ?? ''

/**
 * Finds the format for `--format` and `--profile`.
 *
 * @throws UsageError for an unknown format or profile, for a profile without the format (it names those that have it), and for a module
 *   without a usable `format`
 */
export async function chooseFormat(name: string, profile: string | null): Promise<ChosenFormat> {
  if (isModulePath(name)) return chooseModule(name, profile)
  const format = await loadFormat(name)
  if (format === null) {
    const hint = didYouMean(name, FORMAT_IDS, { families: FORMAT_FAMILIES })
    throw new UsageError(
      `Unknown format "${name}".${hint} callspec formats lists all; a file such as ./my-format.mjs is one, too.`,
    )
  }
  if (!isOfQwenAgent(name) || isOwnVersion(format, profile))
    return wholeFormat(format, { version: profile, path: name, isModule: false })
  return { kind: 'built-in', id: name, profile: chooseProfile(name, profile ?? formats[name].defaultProfile) }
}

/** Whether a version is the format's own, not one of Qwen-Agent. */
function isOwnVersion({ versions }: Format, profile: string | null): boolean {
  return profile !== null && versions.includes(profile) && profileNamed(profile) === null
}

function isOfQwenAgent(id: string): id is FormatName {
  return Object.hasOwn(formats, id)
}

function wholeFormat(
  format: Format,
  asked: Omit<WholeFormat, 'kind' | 'format' | 'version'> & { readonly version: string | null },
): WholeFormat {
  const { version, path, isModule } = asked
  const [first = 'strict'] = format.versions
  if (version === null || format.versions.includes(version))
    return { kind: 'format', format, version: version ?? first, path, isModule }
  const hint = didYouMean(version, format.versions)
  throw new UsageError(
    `The format ${format.id} has no version "${version}".${hint} It has: ${format.versions.join(', ')}.`,
  )
}

/**
 * The format of a module.
 *
 * @throws UsageError for a module without a usable `format`
 */
export async function chooseModule(path: string, profile: string | null): Promise<ModuleFormat | WholeFormat> {
  const format = await importFormat(path)
  return isWholeFormat(format)
    ? wholeFormat(format, { version: profile, path, isModule: true })
    : { kind: 'module', path, format, profile }
}

/** Whether a module exports a format as one value, such as `grammarFormat` makes. */
function isWholeFormat(format: object): format is Format {
  const { read, createReader, write, versions, traits } = format as Partial<Format>
  const areFunctions = [read, createReader, write].every((each) => typeof each === 'function')
  return areFunctions && Array.isArray(versions) && typeof traits === 'object'
}

function chooseProfile(id: FormatName, name: string): Profile {
  const profile = profileNamed(name)
  const known = formats[id].profiles
  const own = formats[id].versions.filter((version) => profileNamed(version) === null)
  if (profile === null) {
    const all = [...known, ...own]
    throw new UsageError(`Unknown profile "${name}".${didYouMean(name, all)} Known profiles: ${all.join(', ')}.`)
  }
  if (known.includes(profile.name)) return profile
  throw new UsageError(
    `The format ${id} did not exist in qwen-agent@${profile.name}. Profiles with ${id}: ${known.join(', ')}.`,
  )
}

/** The `format` of a module: an object with an `id` and at least one of `render` and `parse`. */
async function importFormat(path: string): Promise<UserFormat | Format> {
  const found = await importModule(path)
  const format = found['format']
  if (format === undefined) {
    throw new UsageError(`${path}: no export named "format". ${exportsOf(found)} Export a Format as "format".`)
  }
  if (typeof format !== 'object' || format === null) return asUserFormat(format, path)
  if (isWholeFormat(format)) return format
  return isGrammar(format) ? madeOfGrammar(format, path) : asUserFormat(format, path)
}

/** Whether a module exports the parts for `grammarFormat`. */
function isGrammar(format: object): format is GrammarFormat {
  return 'grammar' in format && 'spelling' in format
}

function madeOfGrammar(parts: GrammarFormat, path: string): Format {
  const { id, grammar, spelling, prompt = null } = parts as Partial<GrammarFormat>
  const missing = (what: string): UsageError => new UsageError(`${path}: format.${what}.`)
  if (typeof id !== 'string' || id === '') throw missing('id is not a name')
  if (typeof grammar?.states !== 'object' || typeof grammar.start !== 'string')
    throw missing('grammar needs start and states')
  if (!Array.isArray(grammar.stops)) throw missing('grammar.stops is not a list of tokens')
  if (typeof spelling?.call !== 'function') throw missing('spelling.call is not a function')
  if (prompt !== null && typeof prompt !== 'function') throw missing('prompt is neither a function nor null')
  try {
    return grammarFormat({ ...parts, prompt })
  } catch (error) {
    throw new UsageError(`${path}: format.grammar: ${messageOf(error).replace(/^callspec: /, '')}.`)
  }
}

export function asUserFormat(value: unknown, path: string): UserFormat {
  const format = value as Partial<UserFormat> | null
  if (typeof format !== 'object' || format === null) throw new UsageError(`${path}: "format" is not an object.`)
  if (typeof format.id !== 'string' || format.id === '') throw new UsageError(`${path}: format.id is not a name.`)
  for (const key of ['render', 'parse'] as const) {
    if (format[key] !== undefined && typeof format[key] !== 'function') {
      throw new UsageError(`${path}: format.${key} is not a function.`)
    }
  }
  if (format.render === undefined && format.parse === undefined) {
    throw new UsageError(`${path}: format has neither "render" nor "parse".`)
  }
  return format as UserFormat
}
