import { describe, expect, it } from 'vitest'
import { runCommand } from '../../src/regression/run-command.ts'

describe('a template command', () => {
  it('gets the request on stdin and gives exactly what it prints', async () => {
    expect(await runCommand("printf 'got: '; cat", '{"a": 1.0}\n', 5000)).toEqual({
      kind: 'printed',
      stdout: Buffer.from('got: {"a": 1.0}\n'),
    })
  })

  it('need not read its request', async () => {
    expect(await runCommand('printf x', 'y'.repeat(10_000_000), 5000)).toEqual({
      kind: 'printed',
      stdout: Buffer.from('x'),
    })
  })

  it('fails with its exit code and the last line of stderr', async () => {
    expect(await runCommand('echo first >&2; echo "no such \u001b[31mtool" >&2; exit 7', '', 5000)).toEqual({
      kind: 'failed',
      reason: 'exit code 7: no such \\u001b[31mtool',
    })
  })

  it('fails when it takes too long, with everything that it started', async () => {
    const started = performance.now()

    const result = await runCommand('sleep 30 & sleep 30; wait', '', 200)

    expect(result).toEqual({
      kind: 'failed',
      reason: 'no end within 200 ms. If it is slow, raise time_limit in callspec.golden.json5.',
    })
    expect(performance.now() - started).toBeLessThan(5000)
  })
})
