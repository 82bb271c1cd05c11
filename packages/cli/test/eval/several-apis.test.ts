import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSimServer } from '@callspec/sim'
import { afterEach, describe, expect, it } from 'vitest'

import { withOtherApis } from '../../../eval/test/helpers/other-api.ts'
import { inProcess } from '../helpers/in-process.ts'

let running: (() => unknown)[] = []
afterEach(async () => {
  for (const close of running) await close()
  running = []
})

/** A server of simulated models over three APIs. @returns its address */
async function threeApis(): Promise<string> {
  const sim = await startSimServer()
  const send = withOtherApis(globalThis.fetch)
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace('/v1', '')
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const body = pieces.length === 0 ? {} : { method: 'POST', body: Buffer.concat(pieces).toString() }
      const headers = { 'content-type': 'application/json' }
      send(`${sim.baseUrl}${path}`, { ...body, headers })
        .then(async (answer) => {
          response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
          response.end(await answer.text())
        })
        .catch(() => response.destroy())
    })
  })
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle))
  running.push(
    () => sim.close(),
    () => server.close(),
    () => server.closeAllConnections(),
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

describe('eval --api with several APIs', () => {
  it('has a row per format and API, in table, files and page, and compares them in pairs', async () => {
    const url = await threeApis()
    const folder = await mkdtemp(join(tmpdir(), 'callspec-several-'))
    const config = { baseUrl: url, models: [{ id: 'm', name: 'sim/perfect' }], api: ['chat', 'messages'] }
    await writeFile(join(folder, 'callspec.config.json5'), JSON.stringify(config))
    const words = ['eval', '-f', 'native,nous', '--limit', '3', '--repeat', '1']

    const { code, stdout } = await inProcess(words, { cwd: folder })

    expect(code).toBe(0)
    const rows = [...stdout.matchAll(/^\| ((?:native|nous)@\w+) /gm)].map(([, name]) => name)
    expect(new Set(rows)).toEqual(new Set(['nous@chat', 'nous@messages', 'native@chat', 'native@messages']))
    expect(stdout).toMatch(/^No format or API is shown to be better \(3 tasks × 1\)/m)
    const [run = ''] = (await readdir(join(folder, 'reports'))).filter((name) => name.startsWith('2'))
    const file = async (name: string): Promise<string> => readFile(join(folder, 'reports', run, name), 'utf8')
    const summary = JSON.parse(await file('summary.json')) as {
      readonly comparisons: readonly { readonly left: string; readonly right: string }[]
    }
    expect(summary.comparisons.map(({ left, right }) => `${left} ${right}`)).toEqual([
      'fncall-nous@chat fncall-nous@messages',
      'fncall-nous@chat native@chat',
      'fncall-nous@messages native@messages',
      'native@chat native@messages',
    ])
    expect(await file('report.md')).toMatch(
      /1 model × 2 formats × 2 APIs × 3 tasks .* chat completions, the API messages/,
    )
    expect(await file('report.html')).toMatch(/chat, messages, stream/)

    const other = await inProcess([...words, '--api', 'responses'], { cwd: folder })
    expect(other.stdout).not.toMatch(/@responses/)
    await rm(folder, { recursive: true })
  })

  it('needs a server', async () => {
    const { code, stderr } = await inProcess(['eval', '-m', 'sim/perfect', '--api', 'chat,completions'])

    expect([code, stderr]).toEqual([
      2,
      'callspec: --api chat,completions needs a server: simulated models and batches are asked over one API (sim/perfect).\n',
    ])
  })
})
