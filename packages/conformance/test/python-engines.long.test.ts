import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { loads } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import { afterEach, describe, expect, it } from 'vitest'

import { openSession, smokeTest } from '../src/index.ts'
import { judge } from '../src/run/run-suite.ts'
import type { Implementation } from '../src/index.ts'

const ADAPTERS = resolve(import.meta.dirname, '../adapters')
const STAND_INS = resolve(import.meta.dirname, 'helpers/stand-ins')
const hasPython = spawnSync('python3', ['--version']).status === 0
const TEXT = 'So. <tool_call>{"name": "clock", "arguments": {"zone": "UTC"}}</tool_call>'
const READ = '{"content": "So. ", "calls": [{"name": "clock", "arguments": {"zone": "UTC"}}]}'

const open: Implementation[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close?.()
})

async function session(engine: string, words: string): Promise<Implementation> {
  const [program = ''] = engine.split('-')
  const path = [engine, '.'].map((each) => resolve(STAND_INS, each)).join(':')
  const command = `PYTHONPATH='${path}' PYTHONDONTWRITEBYTECODE=1 exec python3 '${ADAPTERS}/${program}/${program}_adapter.py' --format nous ${words}`
  const opened = await openSession(command, { timeLimit: 10_000, version: '1' })
  open.push(opened)
  return opened
}

/** The reading of a text with one call, whole and in pieces of one character; a marker is one piece, as it is one token. */
async function verdicts(implementation: Implementation, given: string): Promise<readonly string[]> {
  const tools = loads(`[${given}]`)
  const topic = { format: 'nous', profile: 'strict', where: 'here' }
  const expected = { kind: 'returned', value: loads(READ) } as const
  const final = { kind: 'returned', value: new Map([['final', loads(READ)]]) } as const
  const whole = {
    ...topic,
    id: 'w',
    op: 'parse',
    input: new Map([
      ['text', TEXT],
      ['tools', tools],
    ]) as PyDict,
    expected,
  }
  const pieces = {
    ...whole,
    id: 's',
    op: 'stream',
    input: new Map([
      ['chunks', TEXT.match(/<\/?tool_call>|./g) ?? []],
      ['tools', tools],
    ]) as PyDict,
  }
  const answers = [await implementation.answer(whole), await implementation.answer(pieces)]
  return [judge(whole, answers[0] ?? NONE).kind, judge({ ...pieces, expected: final }, answers[1] ?? NONE).kind]
}

const CLOCK = '{"name": "clock", "description": "", "parameters": {"type": "object", "properties": {}}}'

const NONE = { kind: 'errored', reason: 'nothing came' } as const

describe.skipIf(!hasPython)('adapters of Python engines, before stand-ins of both generations (needs python3)', () => {
  it.each([
    ['vllm-2025', '--tool-parser hermes', '0.10.0'],
    ['vllm-2026', '--tool-parser hermes', '0.33.0'],
  ])('%s reads a call, whole and streamed, and says its version', async (engine, words, version) => {
    const implementation = await session(engine, words)

    expect(implementation.about.version).toBe(version)
    await smokeTest(implementation)
    // As cases of nous have tools, and as those of most formats do.
    for (const tool of [CLOCK, `{"type": "function", "function": ${CLOCK}}`])
      expect(await verdicts(implementation, tool)).toEqual(['passed', 'passed'])
  })

  it('vLLM with a parser of thoughts is asked for no stream where it has no interface for both', async () => {
    const { about } = await session('vllm-2025', '--tool-parser hermes --reasoning-parser qwen3')

    expect(about.supports[0]?.operations).toEqual(['parse'])
  })

  it.each([
    ['vllm-2025', '--tool-parser nope', /vLLM 0\.10\.0: .*'nope' is not registered/],
    ['vllm-2026', '--tool-parser nope', /vLLM 0\.33\.0: .*'nope' which has not been registered/],
    ['vllm-2025', '', /Which parser\? Give --tool-parser NAME/],
    ['vllm-none', '--tool-parser hermes', /vLLM has no such class here\. Install it: pip install vllm\./],
    [
      'sglang-none',
      '--tool-parser qwen25',
      /SGLang has no such class here\. Install it: pip install sglang \(0\.5\.22 or newer\)\./,
    ],
    [
      'transformers-none',
      '--template serve/qwen3',
      /transformers with its server is not installed: pip install "transformers>=5\.17" jinja2\./,
    ],
  ])('%s %s says what is missing', async (engine, words, message) => {
    await expect(session(engine, words)).rejects.toThrow(message)
  })
})
