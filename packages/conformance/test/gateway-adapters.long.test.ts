import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { PyDict } from '@callspec/python'
import { loads } from '@callspec/python'
import { describe, expect, it } from 'vitest'

import type { Implementation } from '../src/index.ts'
import { openSession, smokeTest } from '../src/index.ts'
import { judge } from '../src/run/run-suite.ts'

const ROWS = process.env['CALLSPEC_ENGINES'] ?? ''
const CALL = '<tool_call>\n{"name": "clock", "arguments": {"zone": "UTC"}}\n</tool_call>'

/** Gateways whose parsers a program of Rust drives; `pnpm engines NAME` builds a row. */
const GATEWAYS = [
  { name: 'dynamo', versions: ['11.0.1', '11.0.0'], parser: 'hermes+qwen3', alwaysThinks: 'kimi_k2+kimi_k25' },
  { name: 'smg', versions: ['1.10.0', '1.9.0'], parser: 'qwen+qwen3', alwaysThinks: 'kimik2+kimi_thinking' },
].map((each) => ({
  ...each,
  program: each.versions
    .map((version) => join(ROWS, `${each.name}@${version}`, 'bin', `${each.name}-session`))
    .find((path) => ROWS !== '' && existsSync(path)),
}))

describe.each(GATEWAYS)(
  'the parsers of $name (need CALLSPEC_ENGINES with its row)',
  ({ program, parser, alwaysThinks }) => {
    const opened = (words: string, format: string): Promise<Implementation> =>
      openSession(`'${program}' --parser ${words} --format ${format} --version 1`, { timeLimit: 20_000, version: '1' })

    it.skipIf(program === undefined)('answer the protocol, and say when a model always thinks', async () => {
      const chosen = await opened(parser, 'nous')
      await smokeTest(chosen)
      expect(chosen.about.thinking).toEqual(['opened', 'written', 'none'])
      await chosen.close?.()

      const always = await opened(alwaysThinks, 'kimi-k2-thinking')
      expect(always.about.thinking).toEqual(['opened', 'written'])
      await always.close?.()
    })

    it.skipIf(program === undefined).each([
      { what: 'a call', chunks: [CALL], content: '', zone: 'UTC' },
      { what: 'a call before the token that ends a reply', chunks: [CALL, '<|im_end|>'], content: '', zone: 'UTC' },
      {
        what: 'that token in an argument, as a chunk of its own',
        chunks: [...CALL.slice(0, CALL.indexOf('UTC')), 'a ', '<|im_end|>', ' b', '"}}', '\n', '</tool_call>'],
        content: '',
        zone: 'a <|im_end|> b',
      },
      { what: 'a text that ends with it', chunks: ['Noon', '.', '<|im_end|>'], content: 'Noon.', zone: null },
    ])('read $what in a stream', async ({ chunks, content, zone }) => {
      const implementation = await opened(parser, 'nous')
      try {
        const calls = zone === null ? [] : [{ name: 'clock', arguments: JSON.stringify({ zone }) }]
        const item = {
          ...{ id: 'a', op: 'stream', format: 'nous', profile: 'strict', where: 'here' },
          input: new Map([
            ['chunks', chunks],
            [
              'tools',
              loads('[{"name": "clock", "description": "", "parameters": {"type": "object", "properties": {}}}]'),
            ],
          ]) as PyDict,
          expected: { kind: 'returned', value: new Map([['final', loads(JSON.stringify({ content, calls }))]]) },
        } as const

        expect(judge(item, await implementation.answer(item))).toMatchObject({ kind: 'passed' })
      } finally {
        await implementation.close?.()
      }
    })

    it.skipIf(program === undefined)('refuse a parser that there is not', async () => {
      await expect(opened('nobody', 'nous')).rejects.toThrow(/nobody/)
    })
  },
)
