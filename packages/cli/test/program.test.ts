import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../src/commands.ts'
import { displayWidth } from '../src/terminal.ts'
import { callspec } from './helpers/binary.ts'
import { inProcess } from './helpers/in-process.ts'

describe('callspec', () => {
  it('shows where to begin when it is given nothing', async () => {
    const { code, stdout, stderr } = await callspec([])

    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('Begin here\n  $ callspec conformance run')
    expect((await callspec(['--help'])).stdout).toBe(stdout)
    expect((await callspec(['help'])).stdout).toBe(stdout)
  })

  it('prints the version of its package', async () => {
    expect(await callspec(['--version'])).toEqual({ code: 0, stdout: '0.1.0\n', stderr: '' })
  })

  it('names the nearest command for a misspelt one', async () => {
    const { code, stdout, stderr } = await callspec(['rendr'])

    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toBe(
      'callspec: unknown command "rendr". Did you mean render? ' +
        'Commands: render, parse, conformance, eval, score, golden.\n',
    )
  })

  it.each(COMMANDS.map(({ name }) => name))('%s --help has two examples and 80 columns', async (name) => {
    const { code, stdout, stderr } = await inProcess([name, '--help'])

    expect([code, stderr]).toEqual([0, ''])
    expect(stdout.startsWith(`Usage\n  callspec ${name}`)).toBe(true)
    expect(stdout.split('\n').filter((line) => /^ {2}\$ /.test(line)).length).toBeGreaterThanOrEqual(2)
    const tooWide = stdout.split('\n').filter((line) => displayWidth(line) > 80)
    expect(tooWide).toEqual([])
    expect((await inProcess(['help', name])).stdout).toBe(stdout)
  })

  it.each(COMMANDS.map(({ name }) => name))('%s names a misspelt option on one line', async (name) => {
    const { code, stdout, stderr } = await inProcess([name, '--no-such-option'])

    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^callspec: unknown option --no-such-option\..*\n$/)
  })
})
