import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'

import { describe, expect, it } from 'vitest'

import { operations } from '../src/operations/index.ts'
import { builtInImplementation, isCoarse, reasonOf, runSuite } from '../src/index.ts'
import { casesOf, OPERATIONS, PROGRAMS, REPOSITORY } from './helpers/cases.ts'

const implementation = builtInImplementation()

describe('the built-in implementation answers as the reference did', () => {
  it.each(OPERATIONS)('%s', async (op) => {
    const problems: string[] = []
    let passed = 0

    for await (const { case: item, verdict } of runSuite(await casesOf(op), implementation)) {
      if (verdict.kind === 'passed') passed += 1
      else problems.push(`${verdict.kind} ${item.id} (${item.profile}): ${reasonOf(verdict)}`)
    }

    expect(problems).toEqual([])
    expect(passed).toBeGreaterThan(0)
  })
})

describe('the recorded cases', () => {
  it('are as many as were recorded, under every profile', async () => {
    const counts: Record<string, number> = {}
    const ids = new Set<string>()

    for (const op of OPERATIONS) {
      for (const { id, profile } of await casesOf(op)) {
        counts[profile] = (counts[profile] ?? 0) + 1
        ids.add(id)
      }
    }

    const { 'metagpt@main': role, 'metagpt@v0.8.2': role082, 'metagpt@v0.8.1': role081, ...calls } = counts
    expect([role, role082, role081]).toEqual([243, 8, 4])
    expect(calls).toEqual({ main: 2243, 'v0.0.26': 154, 'v0.0.16': 161, 'v0.0.13': 130, 'v0.0.7': 111 })
    expect(ids.size).toBe(3054)
  })

  it('have a fixture for every golden file and a golden file for every fixture', () => {
    const files = (folder: string): readonly string[] =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()

    for (const program of PROGRAMS) {
      expect(files(resolve(REPOSITORY, 'golden', program))).toEqual(files(resolve(REPOSITORY, 'fixtures', program)))
    }
  })

  it('ask for operations that are known, and leave none without a case', () => {
    const fine = [...operations.keys()].filter((op) => !isCoarse(op))

    expect(fine.sort()).toEqual(OPERATIONS)
  })
})
