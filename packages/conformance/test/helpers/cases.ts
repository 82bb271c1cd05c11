import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'

import type { Case } from '../../src/case.ts'
import { findCaseFiles, readCases } from '../../src/case-store.ts'

export const REPOSITORY: string = resolve(import.meta.dirname, '../../../..')
export const FIXTURES: string = resolve(REPOSITORY, 'fixtures/qwen-agent')
export const GOLDEN: string = resolve(REPOSITORY, 'golden/qwen-agent')

/** The operations that have cases in the repository. */
export const OPERATIONS: readonly string[] = readdirSync(FIXTURES).sort()

/** All cases of an operation, in the order of the files. */
export async function casesOf(op: string): Promise<readonly Case[]> {
  const cases: Case[] = []
  for await (const item of readCases(await findCaseFiles([resolve(FIXTURES, op)]))) cases.push(item)
  return cases
}
