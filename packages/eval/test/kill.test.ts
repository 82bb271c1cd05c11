import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startChild, journalledRequests, watchedServer } from './helpers/kill.ts'
import { temporaryFolder } from './helpers/temporary.ts'

// Kills: kill.long.test.ts.
describe('a run that is stopped with Ctrl-C', { timeout: 120_000 }, () => {
  it('waits for the replies under way, writes them down and ends with 130', async () => {
    const server = await watchedServer()
    const config = {
      models: ['sim/faulty'],
      formats: ['fncall-nous'] as const,
      concurrency: 3,
      baseUrl: server.baseUrl,
      reports: temporaryFolder(),
    }
    const child = startChild(config, null)
    server.onRequest(5, () => child.process.kill('SIGINT'))

    const { code, folder, said } = await child.ended

    expect([code, said]).toEqual([130, 'stopped by Ctrl-C\n'])
    expect(journalledRequests(folder).size).toBe(server.asked.length)
    expect(server.asked.length).toBeLessThan(12)
    expect(JSON.parse(readFileSync(join(folder ?? '', 'run.json'), 'utf8'))).toMatchObject({ finishedAt: null })
  })
})
