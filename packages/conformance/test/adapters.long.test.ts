import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

import { findCaseFiles, openSession, readCases, runSuite, smokeTest, unsupported } from '../src/index.ts'
import type { Implementation } from '../src/index.ts'

const ADAPTERS = resolve(import.meta.dirname, '../adapters')
const FIXTURES = resolve(import.meta.dirname, '../../../fixtures')

/** A checkout of QwenLM/Qwen-Agent at any tag, and python3 that can import pydantic 2 and json5. */
const CHECKOUT = process.env['CALLSPEC_QWEN_AGENT_CHECKOUT'] ?? ''
/** Folders in which `npm install @langchain/classic@1 @langchain/core@1` and `npm install llamaindex@0.12` were run. */
const LANGCHAIN = process.env['CALLSPEC_LANGCHAIN'] ?? ''
const LLAMAINDEX = process.env['CALLSPEC_LLAMAINDEX'] ?? ''
/** A folder in which `npm install @ai-sdk-tool/parser@4` was run. */
const PARSER = process.env['CALLSPEC_AI_SDK_TOOL_PARSER'] ?? ''

async function failures(implementation: Implementation, profiles: readonly string[]): Promise<readonly string[]> {
  const found: string[] = []
  let asked = 0
  for await (const item of readCases(await findCaseFiles([FIXTURES]))) {
    if (!profiles.includes(item.profile) || unsupported(implementation.about, item) !== null) continue
    asked += 1
    for await (const { verdict } of runSuite([item], implementation)) {
      if (verdict.kind === 'failed' || verdict.kind === 'errored') found.push(item.id)
    }
  }
  expect(asked).toBeGreaterThanOrEqual(10)
  return found
}

describe('what is installed on this machine', () => {
  it.skipIf(CHECKOUT === '')('Qwen-Agent passes its own profile (set CALLSPEC_QWEN_AGENT_CHECKOUT)', async () => {
    const command = `python3 '${ADAPTERS}/qwen-agent/qwen_agent_adapter.py' --checkout '${CHECKOUT}'`
    const implementation = await openSession(command, { timeLimit: 60_000, version: '1' })
    const { version } = implementation.about
    const profile = version === '0.0.34' ? 'main' : `v${version}`

    const found = await failures(implementation, [profile])

    expect(found).toEqual([])
    await implementation.close?.()
  })

  it.skipIf(PARSER === '')('@ai-sdk-tool/parser answers (set CALLSPEC_AI_SDK_TOOL_PARSER)', async () => {
    const command = `node '${ADAPTERS}/ai-sdk/adapter.mjs' '${PARSER}'`
    const implementation = await openSession(command, { timeLimit: 60_000, version: '1' })

    await smokeTest(implementation)
    const found = await failures(implementation, ['strict'])

    // What it fails is in adapters/README.md; the simplest cases it must not fail.
    expect(found.filter((id) => id.includes('/basic#'))).toEqual([])
    await implementation.close?.()
  })

  it.skipIf(LANGCHAIN === '')('LangChain fails what adapters/README.md says (set CALLSPEC_LANGCHAIN)', async () => {
    expect(await failuresOf('langchain', LANGCHAIN, 'react')).toEqual([
      'react/parse/braces-in-strings#arguments over several lines',
      'react/parse/prose-around-calls#a marker inside of a line is prose',
    ])
  })

  it.skipIf(LANGCHAIN === '')(
    'LangChain refuses prose that a reader of llama3-json hands on (set CALLSPEC_LANGCHAIN)',
    async () => {
      expect((await failuresOf('langchain', LANGCHAIN, 'llama3-json')).some((id) => id.includes('/stream/'))).toBe(true)
    },
  )

  it.skipIf(LLAMAINDEX === '')('LlamaIndex fails 18 cases of react (set CALLSPEC_LLAMAINDEX)', async () => {
    expect(await failuresOf('llamaindex', LLAMAINDEX, 'react')).toHaveLength(18)
  })
})

async function failuresOf(adapter: string, folder: string, format: string): Promise<readonly string[]> {
  const command = `node '${ADAPTERS}/${adapter}/adapter.mjs' '${folder}'`
  const implementation = await openSession(command, { timeLimit: 60_000, version: '1' })
  await smokeTest(implementation)
  const found = await failures(implementation, ['strict'])
  await implementation.close?.()
  return found.filter((id) => id.startsWith(`${format}/`))
}
