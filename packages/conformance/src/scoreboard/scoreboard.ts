import { InputError } from '@callspec/core'
import { isDict, toPlain } from '@callspec/python'

import { readJson } from '../case-file.ts'
import type { Declaration } from '../protocol/declaration.ts'
import { PROTOCOL_VERSION } from '../protocol/request.ts'
import { violationOf } from '../protocol/schemas.ts'
import { readText } from '../read-text.ts'
import { cellKey, inOrder } from './score.ts'
import type { ScoreCell } from './score.ts'

/** The version of the form of a scoreboard; `schemas/scoreboard.schema.json` describes it. */
const SCOREBOARD_VERSION = 1

/** The last result of every version of one implementation. Holds no time: equal runs leave equal files. */
export interface Scoreboard {
  readonly scoreboard: typeof SCOREBOARD_VERSION
  readonly implementation: string
  /** Newest version first. */
  readonly results: readonly VersionResult[]
}

/** The last result of one version. */
export interface VersionResult {
  readonly version: string
  readonly language?: string
  /** The version of the built-in cases. */
  readonly casesVersion: string
  readonly protocol: number
  readonly cells: readonly ScoreCell[]
}

/** What was run, and what came of it. */
export interface ScoredRun {
  readonly about: Pick<Declaration, 'name' | 'version' | 'language'>
  readonly casesVersion: string
  readonly cells: readonly ScoreCell[]
}

/**
 * The scoreboard with a run in it. Cells that the run has not touched stay, unless they are of another version of the
 * cases; results of other versions of the implementation stay.
 */
export function withRun(old: Scoreboard | null, { about, casesVersion, cells }: ScoredRun): Scoreboard {
  const results = old?.results ?? []
  const before = results.find((each) => each.version === about.version && each.casesVersion === casesVersion)
  const merged = new Map([...(before?.cells ?? []), ...cells].map((cell) => [cellKey(cell), cell]))
  const result: VersionResult = {
    version: about.version,
    ...(about.language === undefined ? {} : { language: about.language }),
    casesVersion,
    protocol: PROTOCOL_VERSION,
    cells: inOrder([...merged.values()]),
  }
  const others = results.filter((each) => each.version !== about.version)
  const newestFirst = [result, ...others].toSorted((left, right) => versionOrder(right.version, left.version))
  return { scoreboard: SCOREBOARD_VERSION, implementation: about.name, results: newestFirst }
}

/** The text of a scoreboard file: one cell per line, so that a difference shows what has changed. */
export function scoreboardText({ results, ...head }: Scoreboard): string {
  const texts = results.map(({ cells, ...result }) => {
    const lines = cells.map((cell) => `        ${JSON.stringify(cell, null, 1).replace(/\n */g, ' ')}`)
    return `    {\n${members(result, '      ')},\n      "cells": [\n${lines.join(',\n')}\n      ]\n    }`
  })
  return `{\n${members(head, '  ')},\n  "results": [\n${texts.join(',\n')}\n  ]\n}\n`
}

function members(value: object, indent: string): string {
  return Object.entries(value)
    .map(([key, member]) => `${indent}${JSON.stringify(key)}: ${JSON.stringify(member)}`)
    .join(',\n')
}

/**
 * Reads a scoreboard file.
 *
 * @throws InputError that names the file: unreadable, no scoreboard, or of a version that is not known here
 */
export async function readScoreboard(path: string): Promise<Scoreboard> {
  const value = readJson(await readText(path), path)
  const version = isDict(value) ? value.get('scoreboard') : undefined
  if (version === undefined) throw new InputError(path, 'is no scoreboard: it has no "scoreboard" with its version.')
  if (version !== BigInt(SCOREBOARD_VERSION)) {
    const shown = typeof version === 'bigint' ? String(version) : 'something else'
    throw new InputError(
      path,
      `is a scoreboard of version ${shown}; this callspec knows version ${SCOREBOARD_VERSION}. Update callspec.`,
    )
  }
  const plain = toPlain(value)
  const violation = violationOf('scoreboard.schema', plain)
  if (violation !== null) throw new InputError(path, `is no scoreboard: ${violation}`)
  return plain as Scoreboard
}

/** Numbers in a version count as numbers: 0.10 is newer than 0.9. */
function versionOrder(left: string, right: string): number {
  return left.localeCompare(right, 'en', { numeric: true })
}
