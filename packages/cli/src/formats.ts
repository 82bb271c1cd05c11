import { formats, profileNamed, type FormatName, type Profile } from '@callspec/core'
import { exportsOf, importModule, isModulePath } from './module-file.ts'
import { didYouMean } from './nearest.ts'
import { UsageError } from './usage-error.ts'

/** A format written by a user, as a module gives it: plain JavaScript, so nothing about it is taken for granted. */
export interface UserFormat {
  readonly id: string
  readonly stopWords?: readonly string[]
  render?(request: object): unknown
  parse?(text: string, options: object): unknown
}

/** A format of the user, in the profile that `--profile` names; what that means is up to the format. */
export interface ModuleFormat {
  readonly kind: 'module'
  readonly path: string
  readonly format: UserFormat
  readonly profile: string | null
}

/** What `--format` names: a built-in format in one profile, or a module of the user. */
export type ChosenFormat =
  { readonly kind: 'built-in'; readonly id: FormatName; readonly profile: Profile } | ModuleFormat

/** The ids of the built-in formats, in alphabetical order. */
export const FORMAT_NAMES: readonly FormatName[] = ['nous', 'qwen', 'react']

/**
 * Finds what `--format` and `--profile` ask for.
 *
 * @throws UsageError for an unknown format or profile, a profile in which the format did not exist (naming those where
 *   it did), and a module without a usable `format`
 */
export async function chooseFormat(name: string, profile: string | null): Promise<ChosenFormat> {
  if (isModulePath(name)) return chooseModule(name, profile)
  const id = FORMAT_NAMES.find((each) => each === name)
  if (id === undefined) {
    const hint = didYouMean(name, FORMAT_NAMES)
    throw new UsageError(
      `Unknown format "${name}".${hint} Known formats: ${FORMAT_NAMES.join(', ')}; or a file such as ./my-format.mjs.`,
    )
  }
  return { kind: 'built-in', id, profile: chooseProfile(id, profile ?? formats[id].defaultProfile) }
}

/**
 * The format of a module.
 *
 * @throws UsageError for a module without a usable `format`
 */
export async function chooseModule(path: string, profile: string | null): Promise<ModuleFormat> {
  return { kind: 'module', path, format: await loadFormat(path), profile }
}

function chooseProfile(id: FormatName, name: string): Profile {
  const profile = profileNamed(name)
  const known = formats[id].profiles
  if (profile === null) throw new UsageError(`Unknown profile "${name}". Known profiles: ${known.join(', ')}.`)
  if (known.includes(profile.name)) return profile
  throw new UsageError(
    `The format ${id} did not exist in qwen-agent@${profile.name}. Profiles with ${id}: ${known.join(', ')}.`,
  )
}

/** The `format` of a module: an object with an `id` and at least one of `render` and `parse`. */
async function loadFormat(path: string): Promise<UserFormat> {
  const found = await importModule(path)
  const format = found['format']
  if (format === undefined) {
    throw new UsageError(`${path}: no export named "format". ${exportsOf(found)} Export a PromptFormat as "format".`)
  }
  return asUserFormat(format, path)
}

/** Judges the value exported as `format`. */
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
