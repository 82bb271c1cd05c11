import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { dumps, isDict, loads } from '@callspec/python'
import { afterEach, describe, expect, it } from 'vitest'

import type { Case, Implementation } from '../src/index.ts'
import { openSession } from '../src/index.ts'
import { findCaseFiles, readCases } from '../src/cases/case-store.ts'
import { judge } from '../src/run/run-suite.ts'
import { REPOSITORY } from './helpers/cases.ts'

const ADAPTER = resolve(import.meta.dirname, '../adapters/transformers/transformers_adapter.py')
const ROWS = process.env['CALLSPEC_ENGINES'] ?? ''
const versions = ['5.24.0', '5.23.0'].filter((version) => existsSync(join(ROWS, `transformers@${version}`)))

const open: Implementation[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close?.()
})

async function session(version: string, words: string): Promise<Implementation> {
  const row = join(ROWS, `transformers@${version}`)
  const opened = await openSession(`PYTHONPATH='${row}' python3 -W ignore '${ADAPTER}' ${words}`, {
    timeLimit: 60_000,
    version: '1',
  })
  open.push(opened)
  return opened
}

describe.skipIf(ROWS === '' || versions.length === 0)(
  'transformers itself (needs CALLSPEC_ENGINES with a folder transformers@VERSION)',
  () => {
    const [newest = ''] = versions
    const text = 'So.\n<tool_call>\n{"name": "clock", "arguments": {"zone": "UTC"}}\n</tool_call>'
    const read = loads('{"content": "So.", "calls": [{"name": "clock", "arguments": {"zone": "UTC"}}]}')

    it.each(['serve/qwen3', 'trl/qwen3', 'export'])('reads a call, whole and streamed: %s', async (template) => {
      const implementation = await session(newest, `--template ${template} --format nous`)
      const topic = { format: 'nous', profile: 'strict', where: 'here' }

      const whole = {
        ...{ ...topic, id: 'nous/parse/a#a', op: 'parse', input: new Map([['text', text]]) },
        expected: { kind: 'returned', value: read },
      } as const
      const pieces = {
        ...{ ...topic, id: 'nous/stream/a#a', op: 'stream' },
        input: new Map([['chunks', text.match(/<\/?tool_call>|\w+|[^\w]/g) ?? []]]),
        expected: { kind: 'returned', value: new Map([['final', read]]) },
      } as const
      expect(judge(whole, await implementation.answer(whole))).toMatchObject({ kind: 'passed' })
      expect(judge(pieces, await implementation.answer(pieces))).toMatchObject({ kind: 'passed' })
    })

    it('refuses a call that is not JSON, as its server does', async () => {
      const implementation = await session(newest, '--template serve/qwen3 --format nous')

      const input = new Map([['text', '<tool_call>{x}</tool_call>']])
      const answer = { id: 'nous/parse/a#b', op: 'parse', format: 'nous', profile: 'strict', input } as const
      expect(await implementation.answer(answer)).toMatchObject({ kind: 'raised', error: { type: 'ValueError' } })
    })

    it('writes the prompt of a chat template', async () => {
      const implementation = await session(newest, '--template trl/qwen3 --format nous')

      const reply = await implementation.answer({
        ...{ id: 'a', op: 'render', format: 'nous', profile: 'strict' },
        input: new Map([['messages', loads('[{"role": "user", "content": "Time?"}]')]]),
      })
      expect(reply.kind === 'returned' && isDict(reply.value) ? dumps(reply.value.get('text') ?? null) : '').toBe(
        '"<|im_start|>user\\nTime?<|im_end|>\\n<|im_start|>assistant\\n"',
      )
    })

    it.each(versions)('%s answers the cases of response templates, strict and its own', async (version) => {
      const implementation = await session(version, '')
      const files = await findCaseFiles([resolve(REPOSITORY, 'fixtures/response-template')])
      const cases: Case[] = []
      for await (const item of readCases(files)) cases.push(item)

      const asked = cases.filter(({ profile }) => ['strict', `transformers@${version}`].includes(profile))
      const wrong: string[] = []
      for (const item of asked)
        if (judge(item, await implementation.answer(item)).kind !== 'passed') wrong.push(item.id)

      expect(wrong).toEqual([])
      expect(asked.length).toBeGreaterThan(150)
    })

    it('says which response template is missing', async () => {
      await expect(session(newest, '--template serve/nobody --format nous')).rejects.toThrow(
        /has no response template of the model type "nobody"/,
      )
      await expect(session(newest, '--template export --format qwen')).rejects.toThrow(/callspec formats qwen/)
    })
  },
)
