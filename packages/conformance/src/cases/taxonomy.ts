import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { InputError } from '@callspec/core'
import type { CoarseOperation } from '../protocol/declaration.ts'
import { fileViolation } from '../protocol/messages.ts'
import { ownFile } from '../own-files.ts'

/** What the cases are about, and which topics a format needs. `schemas/taxonomy.schema.json` is its form. */
export interface Taxonomy {
  /** The version of the case set: major when an answer changes, minor when cases are added. */
  readonly casesVersion: string
  readonly formats: Readonly<Record<string, TaxonomyFormat>>
  /** What traits mean, as the end of a sentence that begins with "where". */
  readonly traits?: Readonly<Record<string, string>>
  readonly topics: readonly TaxonomyTopic[]
  /** Places without cases that would need some, each with its reason. */
  readonly gaps: readonly Gap[]
  /** Properties that no case can check. */
  readonly notCases: readonly { readonly property: string; readonly because: string }[]
}

export interface TaxonomyFormat {
  readonly about: string
  readonly traits: readonly string[]
  /** The operations that its cases ask for; absent: all of them. Then `because` says why not the others. */
  readonly operations?: readonly CoarseOperation[]
  readonly because?: string
}

export interface TaxonomyTopic {
  readonly topic: string
  readonly about: string
  /** What breaks in practice. With it, every format needs a case with a report of it. */
  readonly hurts?: string
  /** Names of the properties that its cases check. */
  readonly properties?: readonly string[]
  /** Operations for which every format needs a file of cases. */
  readonly required: readonly CoarseOperation[]
  /** Only formats with all of these traits need it. */
  readonly appliesIf?: readonly string[]
  /** Why not every format has cases, where none is asked for. */
  readonly because?: string
}

/** A place in the table of format × operation × topic, and why it is empty. */
export interface Gap {
  readonly format: string
  readonly op: string
  readonly topic: string
  readonly because: string
}

/** Folder of the taxonomy and of the list of retired ids. */
const CASE_SET = ownFile('case-set')

/**
 * The taxonomy of the cases that come with this package, or the one in a file.
 *
 * @throws InputError naming file and place, when it is not as its schema says
 */
export function readTaxonomy(file: string = resolve(CASE_SET, 'taxonomy.json')): Taxonomy {
  const value: unknown = readJsonFile(file)
  const violation = fileViolation('taxonomy', value)
  if (violation !== null) throw new InputError(file, `is no taxonomy: ${violation}`)
  return value as Taxonomy
}

/** The ids that are never given to a case again. */
export function readRetiredIds(): ReadonlySet<string> {
  const lines = readFileSync(resolve(CASE_SET, 'retired-ids.txt'), 'utf8').split('\n')
  return new Set(lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#')))
}

/** Ids that were published and are not ids of cases any more, each with the id of the same case today. */
export function readRedirects(): ReadonlyMap<string, string> {
  redirects ??= new Map(Object.entries(readJsonFile(resolve(CASE_SET, 'redirects.json')) as Record<string, string>))
  return redirects
}

let redirects: ReadonlyMap<string, string> | null = null

/** The id of a case today: that of its redirect if it was renamed. */
export function currentId(id: string): string {
  return readRedirects().get(id) ?? id
}

/** The version of the cases that come with this package. */
export function caseSetVersion(): string {
  return readTaxonomy().casesVersion
}

function readJsonFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new InputError(file, `cannot be read as JSON (${error instanceof Error ? error.message : String(error)}).`)
  }
}
