import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { API_LAWS, CLIENT_NOTES } from '@callspec/apis'
import type { ApiLaw } from '@callspec/apis'
import { describe, expect, it } from 'vitest'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'

const chunk = (choice: object): string => `data: ${JSON.stringify({ id: 'a', choices: [{ index: 0, ...choice }] })}\n\n`
const call = (piece: object): object => ({ delta: { role: 'assistant', tool_calls: [piece] } })
const SOUND = [
  chunk(call({ index: 0, id: 'c1', function: { name: 'clock', arguments: '{}' } })),
  chunk({ delta: {}, finish_reason: 'tool_calls' }),
  'data: [DONE]\n\n',
]
const GLUED = [
  ...SOUND.slice(0, 1),
  chunk(call({ index: 0, id: 'c2', function: { name: 'clock', arguments: '{}' } })),
  ...SOUND.slice(1),
]

describe('callspec reply', () => {
  it('prints a sound reply, and exits with 0', async () => {
    const cwd = folderWith({ 'a.sse': SOUND.join('') })

    expect(await inProcess(['reply', 'a.sse'], { cwd })).toMatchObject({
      code: 0,
      stdout: 'chat, 3 events, finish tool_calls, no usage\n  call       clock {} (c1)\nNo law is broken.\n',
    })
  })

  it('shows a broken law at its event, with what a client makes of it', async () => {
    const cwd = folderWith({ 'a.sse': GLUED.join('') })

    const { code, stdout } = await inProcess(['reply', 'a.sse', '--api', 'chat'], { cwd })

    expect(code).toBe(1)
    expect(stdout).toContain(
      'C3  every delta of a call has an integer index, and different calls have different ones\n',
    )
    expect(stdout).toContain('    event 2: two calls have the index 0\n')
    expect(stdout).toMatch(/^ {4}> 2 \{.*"c2"/m)
    expect(stdout).toContain('    openai drops calls without an index, and glues together')
  })

  it('answers every line of a batch, bad ones too, and keeps the spelling of numbers', async () => {
    const message = `{"type": "message", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {"n": 12345678901234567890, "x": 2.50}}], "stop_reason": "tool_use", "usage": {"input_tokens": 3, "output_tokens": 4}}`
    const lines = [
      JSON.stringify({ id: 1, api: 'chat', sse: SOUND.join('') }),
      `{"id": 2, "api": "messages", "body": ${message}}`,
      JSON.stringify({ id: 3, api: 'gemini', sse: '' }),
      JSON.stringify({ id: 4, api: 'chat' }),
      JSON.stringify({ id: 5, api: 'chat', sse: 'hello' }),
      'not JSON',
    ]
    const cwd = folderWith({ 'b.jsonl': `${lines.join('\n')}\n` })

    const { code, stdout } = await inProcess(['reply', '--batch', 'b.jsonl'], { cwd })

    const item = { kind: 'call', id: 'c1', name: 'clock', arguments: '{}' }
    expect(code).toBe(0)
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { id: 1, items: [item], finish: 'tool_calls', usage: null, breaks: [] },
      {
        ...{ id: 2, finish: 'tool_calls', usage: { input: 3, output: 4 }, breaks: [] },
        items: [{ ...item, id: 't', name: 'f', arguments: '{"n": 12345678901234567890, "x": 2.5}' }],
      },
      { id: 3, error: 'b.jsonl:3: "api" must be one of chat, messages, responses.' },
      { id: 4, error: 'b.jsonl:4: there is no "body" and no "sse".' },
      { id: 5, error: 'b.jsonl:5: it is neither a JSON map nor a stream of events.' },
      { id: null, error: 'b.jsonl:6: the line is not JSON.' },
    ])
  })

  it.each([
    ['hello', 'it is neither a JSON map nor a stream of events'],
    ['{"a": 1}', 'no member tells which API it is of. Give --api with one of chat, messages, responses.'],
    ['', 'it is neither a JSON map nor a stream of events'],
  ])('refuses %j in one line', async (text, reason) => {
    const cwd = folderWith({ 'a.txt': text })

    const { code, stderr } = await inProcess(['reply', 'a.txt'], { cwd })

    expect(code).toBe(2)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(stderr).toContain(`a.txt: ${reason}`)
  })

  it('lets nothing of a reply reach the terminal', async () => {
    const cwd = folderWith({
      'a.sse': chunk({ delta: { role: 'assistant', content: '\u001b[2J' }, finish_reason: '\u001b[2J' }),
    })

    expect((await inProcess(['reply', 'a.sse'], { cwd })).stdout).not.toContain('\u001b')
  })
})

it('callspec eval asks no simulated model over an API that it does not have', async () => {
  const { code, stderr } = await inProcess(['eval', '-m', 'sim/perfect', '--api', 'messages'], { cwd: folderWith({}) })

  expect(code).toBe(2)
  expect(stderr).toContain(
    '--api messages needs a server: simulated models and batches answer over chat and completions alone (sim/perfect).',
  )
})

it.each(['docs/apis.md', 'docs/zh/apis.md'])('%s lists every law, and what clients do', (page) => {
  const text = readFileSync(join(import.meta.dirname, '../../..', page), 'utf8')
  const missing = Object.entries(API_LAWS).filter(([law, says]) => {
    const row = text.split('\n').find((line) => line.startsWith(`| ${law} `)) ?? ''
    const hasNote = row.replaceAll('`', '').includes(CLIENT_NOTES[law as ApiLaw] ?? '')
    return row === '' || !hasNote || (page === 'docs/apis.md' && !row.replaceAll('`', '').includes(says))
  })

  expect(missing).toEqual([])
})
