import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'

import { threeApis } from '../../conformance/test/helpers/three-apis.ts'
import type { Spoilt } from '../../conformance/test/helpers/three-apis.ts'
import { inProcess } from './helpers/in-process.ts'

let running: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of running) await each.close()
  running = []
})

const FIXTURES = resolve(import.meta.dirname, '../../../fixtures/nous/parse/basic.json')
const OVER_ALL = ['--say', 'auto', '--api', 'chat,messages,responses']

async function over(spoilt: Spoilt, words: readonly string[]): Promise<Awaited<ReturnType<typeof inProcess>>> {
  const server = await threeApis(spoilt)
  running.push(server)
  const options = ['--format', 'nous', '--op', 'parse', '--cases', FIXTURES]
  return inProcess(['conformance', 'run', '--http', server.url, ...options, ...words])
}

const LOSES_A_CALL: Spoilt = {
  reads: (all, { api, stream }) => (api === 'messages' && stream ? { ...all, calls: all.calls.slice(1) } : all),
  sends: (body, { api, stream }) => (api === 'responses' && stream ? body.replace(',"sequence_number":1', '') : body),
}

describe('conformance run --http --say --api', () => {
  it('prints six readings of a right server, and passes', async () => {
    const { code, stdout } = await over({}, [...OVER_ALL, '--name', 'my server'])

    expect(stdout).toMatch(/^\| responses \| streamed \| +(\d+) \| +\1 \| +\1 \|$/m)
    expect(stdout).toMatch(/^14 of 14 conversations have one prompt over chat, messages, responses$/m)
    expect(stdout).toMatch(/^my server 1\nsaid through "repeat"\nprompts are seen at GET \/slots$/m)
    expect(stdout).toMatch(/\b\d+ passed, 0 failed, 0 errored, \d+ skipped\n$/)
    expect(code).toBe(0)
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  it('shows each fault once, with the smallest transcript, in 80 columns, JSON and JUnit', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'callspec-apis-'))
    const [json, junit] = [join(folder, 'results.jsonl'), join(folder, 'results.xml')]
    const { code, stdout } = await over(LOSES_A_CALL, [...OVER_ALL, '--json', json, '--junit', junit])

    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^✗ messages, calls: the same calls, in the same order\n {2}streamed \d+ of \d+\n {2}requests: auto \d+, .*\n {2}nous\/parse\/.* \((?:auto|limit|named|required|strict), streamed\)\n {2}0 calls instead of 1: .* is missing\n/m,
    )
    expect(stdout).toMatch(
      /^✗ responses, R1: response.created comes first, .*\n(?: {2}.*\n){3} {2}event 2: .*\n {6}1 .*\n {4}> 2 /m,
    )
    expect(stdout).not.toMatch(/^✗ chat/m)
    const lines = (await readFile(json, 'utf8')).trim().split('\n')
    const results = lines.map(
      (line) => JSON.parse(line) as { verdict: string; faults: readonly { transcript: string }[] },
    )
    expect(results.find(({ verdict }) => verdict === 'failed')?.faults[0]?.transcript).toContain('response.created')
    expect(await readFile(junit, 'utf8')).toMatch(
      /<testcase classname="apis auto" name="nous\/parse\/basic#one call"><failure message="messages streamed: /,
    )
    await rm(folder, { recursive: true })
  })

  it('prints a result per line with --json alone', async () => {
    const { code, stdout } = await over({}, ['--id', '*#one call', ...OVER_ALL, '--json'])
    const results = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { op: string; request: string })

    expect(code).toBe(0)
    expect(new Set(results.map(({ op }) => op))).toEqual(new Set(['apis']))
    expect(results.map(({ request }) => request).filter((request) => request !== 'prompt')).toEqual([
      ...['auto', 'none', 'required', 'named', 'other tool', 'strict', 'limit'],
    ])
  })

  it.each([
    [['--api', 'chat'], '--api needs a text that is said over each API: give --say auto.'],
    [['--api', 'post', '--say', 'auto'], '--api "post" is unknown. Known: chat, messages, responses.'],
    [[...OVER_ALL, '--known', 'x'], '--known does not go together with --api'],
    [[...OVER_ALL, '--cut', 'all'], '--cut does not go together with --api'],
  ])('answers %j with one line', async (words, line) => {
    const { code, stderr } = await over({}, words)

    expect(code).toBe(2)
    expect(stderr).toContain(line)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  it('needs a server', async () => {
    const { code, stderr } = await inProcess(['conformance', 'run', '--api', 'chat'])

    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('--api needs --client COMMAND, or --http URL with --say auto.'),
    ])
  })
})
