import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { findMutants } from './find-mutants.ts'
import type { CodeMutant } from './find-mutants.ts'

const ROOT = resolve(import.meta.dirname, '../../../..')

export interface DrawOptions {
  readonly count: number
  readonly seed: number
}

/** A mutant with what it is called, which stays as it is when lines move. */
export interface NamedMutant extends CodeMutant {
  readonly id: string
}

/** Every mutant of the files, by their paths from the root. */
export function mutantsOf(files: readonly string[]): readonly NamedMutant[] {
  return files.flatMap((file) => named(findMutants(file, readFileSync(resolve(ROOT, file), 'utf8'))))
}

/** Draws mutants: the same for the same seed, each as likely as any other, and a change of one place leaves the others in the draw. */
export function drawMutants(all: readonly NamedMutant[], { count, seed }: DrawOptions): readonly NamedMutant[] {
  return all
    .map((mutant) => ({ mutant, place: createHash('sha256').update(`${seed} ${mutant.id}`).digest('hex') }))
    .toSorted((one, other) => (one.place < other.place ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant)
}

/** The same change of the same words may be made in several places of a file: these are counted. */
function named(mutants: readonly CodeMutant[]): readonly NamedMutant[] {
  const seen = new Map<string, number>()
  return mutants.map((mutant) => {
    const inOneLine = (text: string): string => text.replace(/\s+/g, ' ')
    const name = `${mutant.file}: ${inOneLine(mutant.original)} -> ${inOneLine(mutant.mutant)}`
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return { ...mutant, id: count === 1 ? name : `${name} (${count})` }
  })
}
