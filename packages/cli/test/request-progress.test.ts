import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { createOutput } from '../src/output.ts'
import { requestProgress, sourcesProgress } from '../src/request-progress.ts'
import type { Output } from '../src/output.ts'

afterEach(() => vi.useRealTimers())

function terminal(isTTY = true): { readonly output: Output; readonly written: string[] } {
  const written: string[] = []
  const stderr = { write: (text: string) => written.push(text), isTTY }
  const output = createOutput({ stdout: { write: () => 0, isTTY }, stderr, environment: {}, clock: () => 0 })
  return { output, written }
}

/** A server that answers at once, and its address. */
async function answering(): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const server = createServer((_, response) => response.end('yes'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function ask(url: string, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) await (await fetch(url)).text()
}

it('counts the requests that were answered, with the rate and the time left, until it is stopped', async () => {
  const server = await answering()
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  const { output, written } = terminal()
  const progress = requestProgress(output, 10)

  await ask(server.url, 4)
  expect(written).toEqual([])
  vi.advanceTimersByTime(2500)
  expect(written.at(-1)).toContain('4 requests · 1.6/s · 4 s left')
  await ask(server.url, 1)
  vi.advanceTimersByTime(500)
  expect(written.at(-1)).toContain('5 requests · 1.7/s · 3 s left')
  progress.stop()
  const before = written.length
  await ask(server.url, 1)
  vi.advanceTimersByTime(5000)
  await server.close()

  expect(written).toHaveLength(before)
})

it('shows nothing in a pipe', async () => {
  const server = await answering()
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  const { output, written } = terminal(false)
  const progress = sourcesProgress(output, [server.url])

  await ask(server.url, 3)
  vi.advanceTimersByTime(20_000)
  progress.stop()
  await server.close()

  expect(written).toEqual([])
})

it('counts templates where none is asked of a server', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const { output, written } = terminal()
  const progress = sourcesProgress(output, ['a.jinja', 'b.jinja'])

  vi.advanceTimersByTime(3000)
  progress.step(1)
  progress.stop()

  expect(written[0]).toContain('1 of 2 templates · 0.3/s · 3 s left')
})
