import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'

const HELPER = resolve(import.meta.dirname, '../../conformance/test/helpers/own-client.mjs')

/** callspec's reader, which reports each broken law, or none of them. */
const client = (mood: 'strict' | 'silent'): string => `node '${HELPER}' ${mood}`

const RUN = ['conformance', 'run']

/** A reply that breaks off. */
const CUT = 'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"It is no"}}]}\n\n'

describe('conformance run --client', () => {
  it('passes a client that reads as callspec does', async () => {
    const { code, stdout } = await inProcess([...RUN, '--client', client('strict'), '--id', '*/text-call/plain'])

    expect(code).toBe(0)
    expect(stdout).toMatch(/^own strict 1, protocol 1$/m)
    expect(stdout).toMatch(/\n3 passed, 0 failed, 0 errored, 0 skipped\n$/)
  })

  it('shows what is read wrong with the smallest stream, as a command that fails again', async () => {
    const words = [...RUN, '--client', client('silent'), '--api', 'chat', '--id', 'chat/text-call/ends-early']
    const { code, stdout } = await inProcess(words)
    const [, stream = ''] = /--api chat - <<'SSE'\n([^]*?\n)SSE$/m.exec(stdout) ?? []
    const cwd = folderWith({ 'smallest.sse': stream })

    expect(code).toBe(1)
    expect(stdout).toContain('chat: an end before the reply is over (ends-early, breaks C7 C8): gives a finished reply')
    expect(stream.length).toBeLessThan(200)
    const again = await inProcess([...RUN, '--client', client('silent'), '--api', 'chat', 'smallest.sse'], { cwd })
    expect(again.stdout).toMatch(/0 passed, 1 failed, 0 errored, 0 skipped\n$/)
  })

  it('reads recorded streams, and finds out their API', async () => {
    const cwd = folderWith({ 'cut.sse': CUT })

    expect((await inProcess([...RUN, '--client', client('strict'), 'cut.sse'], { cwd })).code).toBe(0)
    expect((await inProcess([...RUN, '--client', client('silent'), 'cut.sse'], { cwd })).code).toBe(1)
  })

  it('writes a line for each stream, the first that fails with the smallest one', async () => {
    const cwd = folderWith({ 'cut.sse': CUT })
    const words = [...RUN, '--client', client('silent'), '--json', join(cwd, 'out.jsonl'), 'cut.sse']
    const { code } = await inProcess(words, { cwd })
    const printed = await inProcess([...RUN, '--client', client('silent'), 'cut.sse', '--json'], { cwd })

    expect(code).toBe(1)
    expect(JSON.parse(printed.stdout)).toMatchObject({
      ...{ client: 'own silent 1', api: 'chat', kind: 'lost', laws: ['C7', 'C8'], verdict: 'failed', fault: 'missed' },
      smallest: { streams: 1, isText: true },
    })
  })

  it.each([
    [['--client', '', '--api', 'chat'], '--client was given an empty text'],
    [['--client', 'x', '--impl', 'y'], '--client and --impl exclude each other'],
    [['--client', 'x', '--format', 'nous'], '--client and --format exclude each other'],
    [['--api', 'chat'], '--api needs --client COMMAND'],
    [['--seed', '1'], '--seed needs --client COMMAND'],
    [['--client', client('strict'), '--id', 'chat/x/y'], 'No stream has the id chat/x/y'],
    [['--client', client('strict'), 'hello.sse'], 'hello.sse: nothing says which API it is of'],
    [['--client', client('strict'), '--api', 'chat', 'hello.sse'], 'hello.sse: is not a stream of events'],
  ])('says what is wrong with %j', async (words, message) => {
    const { code, stderr } = await inProcess([...RUN, ...words], { cwd: folderWith({ 'hello.sse': 'hello' }) })

    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})
