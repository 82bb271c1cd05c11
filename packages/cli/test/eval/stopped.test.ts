import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderWith } from '../helpers/folder.ts'
import { inProcessWithOldOptions as inProcess } from '../helpers/in-process.ts'
import { completion, runIn, serve } from '../helpers/own-server.ts'
import { onlyLong } from '../../../tidy/test/share.ts'

describe('callspec eval', { timeout: 60_000 }, () => {
  it.each([
    [401, {}, 'Is MY_KEY the right key?'],
    [402, {}, 'Is there credit left?'],
    [429, { code: 'insufficient_quota' }, 'Is there credit left?'],
  ])(
    'ends with 3 after answers %i in mid-run, keeps every reply, and says how to go on',
    async (status, error, hint) => {
      const cwd = folderWith({ '.env': 'MY_KEY=sk-first-and-secret' })
      let [requests, isRefusing] = [0, true]
      const baseUrl = await serve((request, response) => {
        if (request.method === 'GET') return response.writeHead(404).end()
        requests += 1
        response.setHeader('content-type', 'application/json')
        if (isRefusing && requests > 5)
          response.writeHead(status).end(JSON.stringify({ error: { message: 'no', ...error } }))
        else response.end(completion('done'))
      })
      const words = ['eval', '-m', 'm', '--base-url', baseUrl, '-j', '1', '-n', '9', '-f', 'react', '--no-stream']

      const { code, stdout, stderr } = await inProcess(
        [...words, '--repeat', '1', '--api-key-env', 'MY_KEY', '--max', 'runaway_rate=1', '--max-infra-rate', '0'],
        { cwd },
      )
      const folder = runIn(cwd).slice(cwd.length + 1)
      const command = `callspec eval --resume ${folder} --api-key-env MY_KEY --max-concurrency 1 --max runaway_rate=1 --max-infra-rate 0`
      const kept = readFileSync(join(cwd, folder, 'turns.jsonl'), 'utf8')
      isRefusing = false
      const resumed = await inProcess(command.split(' ').slice(1), { cwd })

      expect([code, stdout]).toEqual([3, ''])
      expect(stderr).toBe(
        `callspec: ${baseUrl} refuses every request now (${status} no). ${hint}\n` +
          `callspec: stopped early. Every reply so far is in ${folder}/turns.jsonl; go on with ${command}\n`,
      )
      expect(kept.trimEnd().split('\n')).toHaveLength(10)
      expect([resumed.code, requests]).toEqual([0, 9 + 3])
      expect(readFileSync(join(cwd, folder, 'turns.jsonl'), 'utf8').startsWith(kept)).toBe(true)
    },
  )

  onlyLong(() => {
    it('says that the server went away, for how long it waits, and with what to go on', async () => {
      const cwd = folderWith({})
      let requests = 0
      const baseUrl = await serve((_, response, server) => {
        requests += 1
        response.setHeader('content-type', 'application/json')
        if (requests <= 5) response.end(completion('done'))
        else server.close(() => undefined).closeAllConnections()
      })
      const words = ['eval', '-m', 'm', '--base-url', baseUrl, '-j', '1', '-n', '9', '-f', 'react', '--repeat', '1']

      const { code, stdout, stderr } = await inProcess([...words, '--no-stream', '--wait-for-server', '0.6'], { cwd })

      const folder = runIn(cwd).slice(cwd.length + 1)
      const refused = 'refused the connection. Is the server running?'
      expect([code, stdout]).toEqual([3, ''])
      expect(stderr).toBe(
        `callspec: ${baseUrl} went away (${refused}). Waiting for it, at most 1 s.\n` +
          `callspec: ${baseUrl} did not come back within 1 s (${refused}). waitForServer in the configuration waits longer.\n` +
          `callspec: stopped early. Every reply so far is in ${folder}/turns.jsonl; go on with callspec eval --resume ${folder} --max-concurrency 1 --wait-for-server 0.6\n`,
      )
    })
  })
})
