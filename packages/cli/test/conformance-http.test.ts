import { resolve } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'

import { inProcess } from './helpers/in-process.ts'
import { CLOSED_PORT, closedEngine, freePort, gateway } from './helpers/servers.ts'
import type { TestServer } from './helpers/servers.ts'

let running: TestServer[] = []
afterEach(async () => {
  for (const each of running) await each.close()
  running = []
})

async function started(server: Promise<TestServer>): Promise<string> {
  const opened = await server
  running.push(opened)
  return opened.url
}

const FIXTURES = resolve(import.meta.dirname, '../../../fixtures/nous/parse/basic.json')
const NOUS = ['--format', 'nous', '--cases', FIXTURES]

describe('conformance run --http', () => {
  it('asks a gateway over its upstream', async () => {
    const port = await freePort()
    const url = await started(gateway(port, { readsCalls: true }))

    const { code, stdout } = await inProcess([
      'conformance',
      'run',
      '--http',
      url,
      '--upstream-port',
      `${port}`,
      '--op',
      'parse',
      ...NOUS,
    ])

    expect(code).toBe(0)
    expect(stdout).toMatch(/^gateway unknown/m)
    expect(stdout).toMatch(/\b\d+ passed, 0 failed, 0 errored, 0 skipped\n$/)
  })

  it('gives a command line that asks the same again', async () => {
    const port = await freePort()
    const url = await started(gateway(port, { readsCalls: false }))
    const words = ['--http', url, '--format', 'nous', '--op', 'parse', '--upstream-port', `${port}`]

    const { code, stdout } = await inProcess(['conformance', 'run', ...words, ...NOUS.slice(2), '--id', '*#one call'])

    expect(code).toBe(1)
    expect(stdout).toContain(`callspec conformance run ${words.join(' ')} --cases `)
  })

  it('says why nothing was observed', async () => {
    const url = await started(closedEngine())

    const { code, stdout } = await inProcess(['conformance', 'run', '--http', url, '--op', 'parse', ...NOUS])

    expect(code).toBe(2)
    expect(stdout).toContain(
      'what a server makes of a text can be observed only where callspec plays its upstream: --upstream-port\n',
    )
  })

  it.each([
    [[], '--http needs --format: a server cannot say which format it writes and reads.'],
    [['--format', 'nous', '--impl', 'x'], '--impl and --http name two implementations. Give one.'],
    [['--format', 'nous', '--upstream-port', '0'], '--upstream-port must be a whole number from 1 to 65535, got "0"'],
  ])('refuses %j', async (words, message) => {
    const { code, stderr } = await inProcess(['conformance', 'run', '--http', 'http://127.0.0.1:1/v1', ...words])

    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })

  it('refuses --upstream-port without a server', async () => {
    const { code, stderr } = await inProcess(['conformance', 'run', '--upstream-port', '9999'])

    expect(code).toBe(2)
    expect(stderr).toContain('--upstream-port needs --http URL, which is not given.')
  })

  it('is broken where no server listens', async () => {
    const url = `http://127.0.0.1:${CLOSED_PORT}/v1`

    const { code, stderr } = await inProcess(['conformance', 'run', '--http', url, '--format', 'nous'])

    expect(code).toBe(3)
    expect(stderr).toContain(
      `${url}: the server refuses connections (ECONNREFUSED). Is it running, and is this its address?`,
    )
  })
})
