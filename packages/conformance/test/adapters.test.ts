import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'

import type { Case } from '../src/case.ts'
import {
  findCaseFiles,
  oneShotImplementation,
  openSession,
  readCases,
  reasonOf,
  runSuite,
  smokeTest,
} from '../src/index.ts'
import type { Implementation } from '../src/index.ts'

const ADAPTERS = resolve(import.meta.dirname, '../adapters')
const FIXTURES = resolve(import.meta.dirname, '../../../fixtures')
const hasPython = spawnSync('python3', ['--version']).status === 0

const open: Implementation[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close?.()
})

async function session(command: string): Promise<Implementation> {
  const opened = await openSession(command, { timeLimit: 10_000, version: '1' })
  open.push(opened)
  return opened
}

/** The basic cases about nous that the implementation claims, by id, with what came of them. */
async function outcomes(implementation: Implementation): Promise<Record<string, string>> {
  await smokeTest(implementation)
  const files = await findCaseFiles([`${FIXTURES}/nous/*/basic.json`])
  const found: Record<string, string> = {}
  for await (const { case: item, verdict } of runSuite(strict(readCases(files)), implementation, { jobs: 4 })) {
    if (verdict.kind !== 'skipped') found[item.id] = reasonOf(verdict) ?? 'passed'
  }
  return found
}

async function* strict(cases: AsyncIterable<Case>): AsyncGenerator<Case> {
  for await (const item of cases) if (item.profile === 'strict') yield item
}

function failing(found: Record<string, string>): readonly string[] {
  expect(Object.keys(found).length).toBeGreaterThanOrEqual(5)
  return Object.keys(found).filter((id) => found[id] !== 'passed')
}

describe('the adapters', () => {
  it.skipIf(!hasPython)('python-naive passes the basic cases, whole and streamed (needs python3)', async () => {
    const found = await outcomes(await session(`python3 '${ADAPTERS}/python-naive/naive_parser.py'`))

    expect(failing(found)).toEqual([])
    expect(Object.keys(found)).toContain('nous/stream/basic#a marker cut in two')
  })

  it('node-example passes the basic cases, and streams deltas', async () => {
    const found = await outcomes(await session(`node '${ADAPTERS}/node-example/example-parser.mjs'`))

    expect(failing(found)).toEqual([])
    expect(Object.keys(found)).toContain('nous/stream/basic#a marker cut in two')
  })

  it('shell-one-shot reads a single call', async () => {
    const supports = [{ operations: ['parse'], formats: ['nous'] }]
    const found = await outcomes(
      oneShotImplementation(`sh '${ADAPTERS}/shell-one-shot/parse.sh'`, { timeLimit: 10_000, supports }),
    )

    expect(failing(found)).toEqual(['nous/parse/basic#two calls in order'])
  })

  it.each([
    ['ai-sdk-tool-parser', '@ai-sdk-tool/parser@4'],
    ['langchain', '@langchain/classic@1 @langchain/core@1'],
    ['llamaindex', 'llamaindex@0.8 @aws-crypto/sha256-js js-tiktoken pathe'],
  ])('%s says how to install the package', async (name, packages) => {
    const command = `node '${ADAPTERS}/${name}/adapter.mjs' /nowhere`

    await expect(session(command)).rejects.toThrow(`Run: npm install --prefix FOLDER ${packages}`)
  })

  it.skipIf(!hasPython)('qwen-agent says what is no checkout (needs python3)', async () => {
    const command = `python3 '${ADAPTERS}/qwen-agent/qwen_agent_adapter.py' --checkout /nowhere`

    await expect(session(command)).rejects.toThrow('/nowhere: there is no folder "qwen_agent" in it.')
  })
})
