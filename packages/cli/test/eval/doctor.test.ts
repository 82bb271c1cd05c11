import { describe, expect, it } from 'vitest'
import { displayWidth } from '../../src/columns.ts'
import { folderWith } from '../helpers/folder.ts'
import { inProcess } from '../helpers/in-process.ts'
import { freePort } from '../helpers/servers.ts'

describe('callspec doctor', { timeout: 60_000 }, () => {
  it('says what is well, and what to change, and ends with 1 where a check fails', async () => {
    const { code, stdout, stderr } = await inProcess(['doctor', '-m', 'sim/faulty'], { cwd: folderWith({}) })

    const lines = stdout.trimEnd().split('\n')
    expect([code, stderr]).toEqual([1, ''])
    expect(lines[0]).toMatch(/^sim\/faulty at http:\/\/127\.0\.0\.1:\d+\/v1$/)
    expect(lines.filter((line) => displayWidth(line) > 80)).toEqual([])
    expect(stdout).toMatch(/^ok {7}usage {11}\d+ tokens in the prompt, \d+ in the reply$/m)
    expect(stdout).toMatch(/^fail {5}stop-words {6}.*\n(?: {25}.*\n)* {25}→ /m)
  })

  it('prints the findings as JSON', async () => {
    const { code, stdout } = await inProcess(['doctor', '-m', 'sim/perfect', '--json'], { cwd: folderWith({}) })

    const report = JSON.parse(stdout) as { findings: { check: string; verdict: string }[] }
    expect(code).toBe(0)
    expect(report).toMatchObject({ schema: 1, kind: 'doctor', model: 'sim/perfect', isHealthy: true })
    expect(report.findings).toContainEqual(expect.objectContaining({ check: 'stop-words', verdict: 'ok' }))
  })

  it('ends with 1 where nobody listens, whatever the environment holds', async () => {
    const cwd = folderWith({
      '.env': `OPENAI_BASE_URL=http://127.0.0.1:${await freePort()}/v1\nOPENAI_API_KEY=sk-very-secret-key`,
    })

    const { code, stdout, stderr } = await inProcess(['doctor'], { cwd })

    expect([code, stderr]).toEqual([1, ''])
    expect(stdout).toMatch(/^no model at http:\/\/127\.0\.0\.1:\d+\/v1\nfail {5}reachable /)
    expect(stdout).not.toContain('secret')
  })
})
