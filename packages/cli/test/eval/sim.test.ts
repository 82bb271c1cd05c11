import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { BINARY } from '../helpers/binary.ts'
import { folderWith } from '../helpers/folder.ts'
import { inProcess } from '../helpers/in-process.ts'

it(
  'callspec sim serve answers, also the questions of doctor --quick, until it is stopped',
  { timeout: 60_000 },
  async () => {
    const child = spawn(process.execPath, [BINARY, 'sim', 'serve', '--json'])
    onTestFinished(() => {
      child.kill('SIGKILL')
    })
    const line = await new Promise<string>((resolve) => {
      child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()))
    })

    const { baseUrl, models } = JSON.parse(line) as { baseUrl: string; models: readonly string[] }
    const listed = (await (await fetch(`${baseUrl}/models`)).json()) as { data: { id: string }[] }
    const examined = await inProcess(['doctor', '--quick', '--base-url', baseUrl], { cwd: folderWith({}) })
    child.kill('SIGINT')
    const code = await new Promise<number | null>((settle) => child.on('close', settle))

    expect(models).toContain('sim/faulty')
    expect(listed.data.map(({ id }) => id)).toEqual(expect.arrayContaining([...models]))
    expect([examined.code, examined.stdout]).toEqual([0, expect.stringContaining('Nothing to fix.')])
    expect(code).toBe(0)
  },
)

it('callspec sim serve says when the port is taken', async () => {
  const server = createServer()
  onTestFinished(() => {
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  const { code, stderr } = await inProcess(['sim', 'serve', '--port', String(port)], { cwd: folderWith({}) })

  expect([code, stderr]).toEqual([
    2,
    `callspec: port ${port} is taken. Name another one with --port, or leave it out.\n`,
  ])
})
