import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseArguments } from '../src/arguments.ts'
import { displayWidth } from '../src/columns.ts'
import { shownOptions } from '../src/command.ts'
import { COMMANDS } from '../src/commands.ts'
import { commandHelp } from '../src/help.ts'
import { BINARY, callspec } from './helpers/binary.ts'
import { folderWith, namesIn } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'
import { onlyLong } from '../../tidy/test/share.ts'

/** What V8 writes when it is asked which scripts ran. */
interface Coverage {
  readonly result: readonly { readonly url: string }[]
}

const HAD = ['a reply', 'a server', 'a parser', 'a model', 'a template', 'logs', 'none yet']

function fail(line: string): never {
  throw new Error(`no such command: ${line}`)
}

describe('callspec', () => {
  it('asks what you have when it is given nothing, and has one command for each that the program takes', async () => {
    const { code, stdout, stderr } = await callspec([])

    const commands = [...stdout.matchAll(/\$ callspec (.*)$/gm)].map(([, command = '']) => command)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect([...stdout.matchAll(/^ {2}(\S.*?) {2,}\$/gm)].map(([, have]) => have)).toEqual(HAD)
    expect(commands.length).toBe(HAD.length)
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
    expect(stdout.split('\n').length).toBeLessThanOrEqual(24)
    for (const line of commands) {
      const [name = '', ...words] = line.match(/'[^']*'|\S+/g) ?? []
      const command = await COMMANDS.find((each) => each.name === name)?.load()
      expect(() => parseArguments(command ?? fail(line), words)).not.toThrow()
    }
  })

  it('shows the same in a terminal, with what you have in bold', async () => {
    const { stdout } = await inProcess([])
    const inTerminal = await inProcess([], { isTerminal: true })

    expect(inTerminal.stdout).toContain('\u001b[1ma reply')
    expect(inTerminal.stdout.replaceAll(/\u001b\[\d*m/g, '')).toBe(stdout)
  })

  it('shows where to begin in its help', async () => {
    const { code, stdout, stderr } = await callspec(['--help'])

    expect([code, stderr]).toEqual([0, ''])
    const commands = [...stdout.matchAll(/^ {2}\$ callspec (.*?) {2,}\S/gm)].map(([, command]) => command)
    expect(commands).toEqual(['eval', 'conformance run', 'fuzz --format nous'])
    expect(stdout.indexOf('Begin here')).toBeLessThan(stdout.indexOf('\nReplies and prompts\n'))
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
    expect((await callspec(['help'])).stdout).toBe(stdout)
  })

  it('has every option on the page of its command or of one of its subcommands', async () => {
    for (const { name, load } of COMMANDS) {
      const command = await load()
      const pages = [null, ...Object.keys(command.subcommands ?? {})].map((each) =>
        commandHelp(command, each, { columns: 80 }),
      )
      const missing = shownOptions(command.options).filter(
        ([option]) => !pages.some((page) => new RegExp(`--(?:\\[no-\\])?${option}\\b`).test(page)),
      )

      expect([name, missing.map(([option]) => option)]).toEqual([name, []])
      expect([name, pages.flatMap((page) => page.split('\n')).filter((line) => line.length > 80)]).toEqual([name, []])
    }
  })

  it('has every command once in its help, under the heading of its group', async () => {
    const { stdout } = await inProcess(['--help'])

    const shown = stdout.split('\n\n').flatMap((part) => {
      const [heading = '', ...lines] = part.split('\n')
      return lines.map((line) => `${heading}: ${/^ {2}(\w+) {2}/.exec(line)?.[1] ?? ''}`)
    })
    const expected = COMMANDS.map(({ name, group }) => `${group}: ${name}`)
    expect(shown.filter((each) => expected.includes(each)).toSorted()).toEqual(expected.toSorted())
    expect(new Set(COMMANDS.map(({ group }) => group)).size).toBe(6)
  })

  it('loads nothing but a few files of its own before the command is known', async () => {
    const cwd = folderWith({})

    await callspec(['--help'], { env: { NODE_V8_COVERAGE: cwd } })

    const coverage = namesIn(cwd).map((name) => JSON.parse(readFileSync(join(cwd, name), 'utf8')) as Coverage)
    const loaded = coverage
      .flatMap(({ result }) => result.map(({ url }) => url))
      .filter((url) => url.startsWith('file:'))
    expect(loaded.length).toBeGreaterThan(3)
    expect(loaded.length).toBeLessThan(12)
    expect(loaded.filter((url) => !url.includes('/packages/cli/'))).toEqual([])
  })

  it('ends quietly, with its own exit code, when its reader goes away', () => {
    const cwd = folderWith({ 'answer.txt': 'x'.repeat(1_000_000) })
    const command = `{ '${process.execPath}' '${BINARY}' parse answer.txt --format nous; echo $? >&2; } | head -c 1`

    const run = spawnSync('sh', ['-c', command], { cwd, encoding: 'utf8' })

    expect([run.stdout, run.stderr]).toEqual(['{', '0\n'])
  })

  onlyLong(() => {
    it('is plain with --no-color, even if a variable asks for colour', async () => {
      const cwd = folderWith({ 'a.json5': '{messages: [{role: "user", content: "x"}]}', 'a.golden.txt': 'other' })
      const words = ['golden', 'verify', cwd, '--format', 'nous']

      const coloured = await callspec(words, { env: { NO_COLOR: '', FORCE_COLOR: '1' } })
      const plain = await callspec([...words, '--no-color'], { env: { NO_COLOR: '', FORCE_COLOR: '1' } })

      expect(coloured.stdout).toContain('\u001b[31m')
      expect(plain.stdout).toBe(coloured.stdout.replaceAll(/\u001b\[\d+m/g, ''))
    })
  })

  it('prints the version of its package', async () => {
    expect(await callspec(['--version'])).toEqual({ code: 0, stdout: '0.1.0\n', stderr: '' })
  })

  it('names the nearest command for a misspelt one', async () => {
    const { code, stdout, stderr } = await callspec(['rendr'])

    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toBe('callspec: unknown command "rendr". Did you mean render? callspec --help lists all.\n')
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
