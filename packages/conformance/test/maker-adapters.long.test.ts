import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { dumps, isDict, loads } from '@callspec/python'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import type { Implementation } from '../src/index.ts'
import { openSession } from '../src/index.ts'
import { judge } from '../src/run/run-suite.ts'

const ADAPTERS = resolve(import.meta.dirname, '../adapters')
const ROWS = process.env['CALLSPEC_ENGINES'] ?? ''

interface Maker {
  readonly name: string
  readonly versions: readonly string[]
  readonly command: string
  readonly format: string
  /** A reply that calls clock({"zone": "UTC"}). */
  readonly text: string
  readonly id?: string
  /** In a prompt of the question "Time?". */
  readonly prompt: string
}

const MAKERS: readonly Maker[] = [
  {
    ...{ name: 'openai-harmony', versions: ['0.0.8', '0.0.6'], format: 'harmony' },
    command: 'openai_harmony_adapter.py --format harmony',
    text: '<|channel|>commentary to=functions.clock <|constrain|>json<|message|>{"zone": "UTC"}<|call|>',
    prompt: '<|start|>user<|message|>Time?<|end|><|start|>assistant',
  },
  {
    ...{ name: 'cohere-melody', versions: ['0.15.3', '0.15.2'], format: 'command-r7b', id: '0' },
    command: 'cohere_melody_adapter.py --parser cmd3 --format command-r7b',
    text: '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "clock", "parameters": {"zone": "UTC"}}]<|END_ACTION|>',
    prompt: '<|USER_TOKEN|>Time?<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>',
  },
  ...['v3', 'v3-spm', 'v7'].map((parser) => ({
    ...{ name: 'mistral-common', versions: ['1.13.1', '1.13.0'], format: 'mistral-v3', id: 'call00000' },
    command: `mistral_common_adapter.py --parser ${parser} --format mistral-v3`,
    text: '[TOOL_CALLS][{"name": "clock", "arguments": {"zone": "UTC"}, "id": "call00000"}]',
    prompt: parser === 'v3' ? '<s>[INST]Time?[/INST]' : '[INST] Time?[/INST]',
  })),
  {
    ...{ name: 'mistral-common', versions: ['1.13.1', '1.13.0'], format: 'mistral-v13' },
    command: 'mistral_common_adapter.py --parser v13 --format mistral-v13',
    text: '[TOOL_CALLS]clock[ARGS]{"zone": "UTC"}',
    prompt: '<s>[INST]Time?[/INST]',
  },
]

describe.each(MAKERS)("the maker's own code: $name, $command (needs CALLSPEC_ENGINES with its row)", (maker) => {
  const row = maker.versions
    .map((version) => join(ROWS, `${maker.name}@${version}`))
    .find((path) => ROWS !== '' && existsSync(path))
  let implementation: Implementation

  beforeEach(async (context) => {
    if (row === undefined) return context.skip()
    const path = join(ADAPTERS, maker.name, maker.command)
    implementation = await openSession(`PYTHONPATH='${row}' python3 -W ignore '${path.replace(' ', "' ")}`, {
      timeLimit: 60_000,
      version: '1',
    })
  })
  afterEach(async () => {
    if (row !== undefined) await implementation.close?.()
  })

  it('reads a call', async () => {
    const call = { ...(maker.id === undefined ? {} : { id: maker.id }), name: 'clock', arguments: '{"zone": "UTC"}' }
    const item = {
      ...{ id: 'a', op: 'parse', format: maker.format, profile: 'strict', where: 'here' },
      input: new Map([['text', maker.text]]),
      expected: { kind: 'returned', value: loads(JSON.stringify({ content: '', calls: [call] })) },
    } as const

    expect(judge(item, await implementation.answer(item))).toMatchObject({ kind: 'passed' })
  })

  it('writes its prompt', async () => {
    const reply = await implementation.answer({
      ...{ id: 'b', op: 'render', format: maker.format, profile: 'chat-template@0' },
      input: new Map([['messages', loads('[{"role": "user", "content": "Time?"}]')]]),
    })

    const text = reply.kind === 'returned' && isDict(reply.value) ? dumps(reply.value.get('text') ?? null) : ''
    expect(text).toContain(maker.prompt)
  })
})
