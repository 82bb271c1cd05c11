import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

import { ADAPTERS, readEngine, readEngines } from '../engine/src/engine-file.ts'
import { commandsOf } from '../engine/src/install-engine.ts'
import { onlyLong } from '../../tidy/test/share.ts'
import { folderWith } from './helpers/folder.ts'

const PROGRAM = resolve(import.meta.dirname, '../engine/dist/engines.js')
const PAGE = resolve(import.meta.dirname, '../../../docs/engines.md')
const PAGE_BEFORE = readFileSync(PAGE, 'utf8')

/** The small parser of adapters/node-example as an engine; one command makes its row. */
const NAIVE = {
  name: 'naive',
  title: 'Naive',
  what: 'the example of the adapters',
  homepage: 'https://example.org/naive',
  needs: 'node',
  versions: [{ version: '1.0', date: '2026-11-24', commit: '0123456' }],
  dated: 'of the commit',
  install: [['node', '-e', "fs.writeFileSync('made', '{version}')"]],
  size: '1 kB',
  weight: 'light',
  stubs: [],
  command: 'node {adapter}/example-parser.mjs {row}',
  pairs: [{ parser: 'example', format: 'nous', operations: ['stream'] }],
  notAsked: [{ parser: 'other', why: 'reads no format of callspec' }],
}

interface Written {
  readonly ran: string
  readonly counts: readonly {
    readonly format: string
    readonly op: string
    readonly verdicts: Readonly<Record<string, number>>
  }[]
  readonly deviations: readonly { readonly id: string; readonly verdict: string; readonly gave: string }[]
}

/** A folder with the adapter `naive`, its members changed. */
function adaptersWith(changed: object): string {
  const folder = folderWith({})
  mkdirSync(join(folder, 'naive'))
  cpSync(join(ADAPTERS, 'node-example/example-parser.mjs'), join(folder, 'naive/example-parser.mjs'))
  writeFileSync(join(folder, 'naive/engine.json'), JSON.stringify({ ...NAIVE, ...changed }))
  return folder
}

/** What is wrong with the file of `naive`, without its path. */
function faultOf(changed: object): string {
  const path = join(adaptersWith(changed), 'naive/engine.json')
  try {
    readEngine(path, 'naive')
    return ''
  } catch (error) {
    return (error as Error).message.replace(`${path}: `, '')
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}

async function engines(
  words: readonly string[],
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const child = spawn(process.execPath, [PROGRAM, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
  const printed = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (printed.stdout += piece))
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (printed.stderr += piece))
  const code = await new Promise<number | null>((settle) => child.once('close', settle))
  return { code, ...printed }
}

describe('an engine.json', () => {
  it('of every adapter is read', () => {
    for (const engine of readEngines(ADAPTERS)) expect(engine.pairs.length).toBeGreaterThan(0)
  })

  it('that is wrong is refused in one line that names the member', () => {
    expect(faultOf({})).toBe('')
    expect(faultOf({ needs: 'ruby' })).toMatch(/^needs: .*$/)
    expect(faultOf({ pairs: [{ parser: 'x', format: 'nous', operations: ['guess'] }] })).toMatch(
      /^pairs\.0\.operations\.0: .*$/,
    )
    expect(faultOf({ name: 'other' })).toBe('name: must be "naive", the name of the folder')
    expect(faultOf({ pairs: [...NAIVE.pairs, ...NAIVE.pairs] })).toBe('pairs: example with nous is listed twice')
    expect(faultOf({ pairs: [{ ...NAIVE.pairs[0], versions: ['2.0'] }] })).toBe(
      'pairs: version "2.0" is not in versions',
    )
    expect(faultOf({ pairs: [{ ...NAIVE.pairs[0], operations: ['cut'] }] })).toBe(
      'cuts: is missing, but a pair has the operation "cut"',
    )
  })

  it('has commands that know version, adapter and row; pip installs into the row', () => {
    const install = [
      ['pip', 'install', '--no-deps', 'naive=={version}'],
      ['cp', '{adapter}/go.mod', '{row}'],
    ]
    const engine = readEngine(join(adaptersWith({ install }), 'naive/engine.json'), 'naive')

    const commands = commandsOf({ engine, version: { version: '1.0', date: '' }, adapter: '/a', folder: '/r' })

    expect(commands.map((words) => words.join(' '))).toEqual([
      'python3 -m pip --disable-pip-version-check install --target /r --no-deps naive==1.0',
      'cp /a/go.mod /r',
    ])
  })
})

describe('pnpm engines', () => {
  it('installs a row, asks its pairs, writes the report and prints a table of 80 columns', async () => {
    const adapters = adaptersWith({})
    const [into, output] = [folderWith({}), folderWith({})]

    const ended = await engines(['naive', '--adapters', adapters, '--into', into, '--output', output])

    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(join(into, 'naive@1.0/made'), 'utf8')).toBe('1.0')
    const text = readFileSync(join(output, 'naive@1.0.json'), 'utf8')
    const { ran, counts, deviations } = JSON.parse(text) as Written
    expect(ran).toMatch(/^\d{4}-\d{2}-\d{2}$/)
    expect(text).not.toContain(adapters)
    const { passed = 0, ...others } = counts[0]?.verdicts ?? {}
    expect(passed).toBeGreaterThan(100)
    expect(deviations).toHaveLength(Object.values(others).reduce((sum, count) => sum + count, 0))
    expect(deviations.find(({ verdict }) => verdict === 'failed')?.gave).toMatch(/^\{/)
    const lines = ended.stdout.split('\n')
    expect(lines.some((line) => line.startsWith(`example  nous    stream  ${passed}/`))).toBe(true)
    const table = lines.slice(lines.findIndex((line) => line.startsWith('Naive 1.0')))
    expect(table.every((line) => line.length <= 80)).toBe(true)

    // Installed once: the second run, of one case, installs nothing and writes nothing.
    const id = deviations.find(({ verdict }) => verdict === 'failed')?.id ?? ''
    const again = await engines(['naive@1.0', '--adapters', adapters, '--into', into, '--id', id])
    expect(again.code).toBe(1)
    expect(again.stdout).toContain(id)
    expect(again.stdout).not.toContain('installing')
  })

  onlyLong(() => {
    it('asks with --new only what the report does not have, and everything once the adapter has changed', async () => {
      const [adapters, into, output] = [adaptersWith({}), folderWith({}), folderWith({})]
      const path = join(output, 'naive@1.0.json')
      const words = ['naive', '--adapters', adapters, '--into', into, '--output', output]
      await engines(words)
      const whole = readFileSync(path, 'utf8')
      const { counts, deviations } = JSON.parse(whole) as Written
      const [kept = '', lost = ''] = deviations.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id)
      // As if the text of one case had changed since, and another answer had been given to an other.
      const list = join(output, 'asked', readdirSync(join(output, 'asked'))[0] ?? '')
      const text = readFileSync(list, 'utf8')
      writeFileSync(list, text.replace(new RegExp(`^[0-9a-f]{12} ${escaped(lost)}$`, 'm'), `000000000000 ${lost}`))
      const said = (id: string, gave: string) => (given: string) =>
        given.replace(
          new RegExp(`("id":"${escaped(id)}","verdict":"failed","gave":)"(?:[^"\\\\]|\\\\.)*"`),
          `$1"${gave}"`,
        )
      writeFileSync(path, said(lost, 'said before')(said(kept, 'said before')(whole)))

      const again = await engines([...words, '--new'])

      expect(again).toMatchObject({ code: 0, stderr: '' })
      expect(readFileSync(path, 'utf8')).toBe(said(kept, 'said before')(whole))
      expect(readFileSync(list, 'utf8')).toBe(text)
      expect(readdirSync(join(output, 'asked'))).toHaveLength(counts.length)

      const program = join(adapters, 'naive/example-parser.mjs')
      writeFileSync(program, `${readFileSync(program, 'utf8')}\n`)
      await engines([...words, '--new'])

      expect(readFileSync(path, 'utf8').replace(/"adapter": "\w+"/, '')).toBe(whole.replace(/"adapter": "\w+"/, ''))
    })
  })

  it('asks the cases of a version, and tells the adapter of it', async () => {
    const adapters = adaptersWith({ pairs: [{ parser: 'example', format: 'nous@granite-4.0', operations: ['parse'] }] })
    // The parser claims the version that it is started with.
    const program = join(adapters, 'naive/example-parser.mjs')
    const text = readFileSync(program, 'utf8')
    writeFileSync(program, text.replace("'strict'", 'process.argv[process.argv.indexOf("--profile") + 1]'))
    const [into, output] = [folderWith({}), folderWith({})]

    const ended = await engines(['naive', '--adapters', adapters, '--into', into, '--output', output])

    expect(ended).toMatchObject({ code: 0, stderr: '' })
    const { counts } = JSON.parse(readFileSync(join(output, 'naive@1.0.json'), 'utf8')) as Written
    expect(counts[0]).toMatchObject({ format: 'nous@granite-4.0', op: 'parse' })
    const asked = readFileSync(join(output, 'asked', readdirSync(join(output, 'asked'))[0] ?? ''), 'utf8')
    expect(asked.match(/ nous\/parse\/versions#granite-4\.0: /g)?.length).toBe(asked.trimEnd().split('\n').length)
  })

  it('skips a row that is not among the installed ones, and says so', async () => {
    const ended = await engines(['naive', '--adapters', adaptersWith({}), '--installed', folderWith({})])

    expect(ended.code).toBe(0)
    expect(ended.stdout).toMatch(/^engines: skipped: naive@1\.0: there is no .*naive@1\.0\n$/)
    // The page of all engines is not made of these alone.
    expect(readFileSync(PAGE, 'utf8')).toBe(PAGE_BEFORE)
  })

  it('writes no report where the install fails or a pair cannot be asked: one line, exit code 3', async () => {
    const output = folderWith({})
    const failing = { install: [['node', '-e', "console.error('no such\\u001b[31m package'); process.exit(7)"]] }
    const silent = { command: 'node -e "process.exit(0)"' }

    for (const changed of [failing, silent]) {
      const words = ['naive', '--adapters', adaptersWith(changed), '--into', folderWith({}), '--output', output]
      const ended = await engines(words)
      expect(ended.code).toBe(3)
      expect(ended.stderr).toMatch(/^engines: naive@1\.0: [^\n\u001b]+\n$/)
    }
    expect(existsSync(join(output, 'naive@1.0.json'))).toBe(false)
  })

  it('leaves no folder of a row whose second command fails, which --installed would take', async () => {
    const into = folderWith({})
    const install = [NAIVE.install[0], ['node', '-e', 'process.exit(7)']]

    const { code } = await engines(['naive', '--adapters', adaptersWith({ install }), '--into', into, '--output', into])

    expect([code, readdirSync(into)]).toEqual([3, []])
  })

  it('names the engines and versions that it knows, for a wrong name: exit code 2', async () => {
    const adapters = adaptersWith({})

    expect(await engines(['navie', '--adapters', adapters])).toMatchObject({
      code: 2,
      stderr: 'engines: "navie" is not an engine. Engines: naive.\n',
    })
    expect((await engines(['naive@2', '--adapters', adapters])).stderr).toBe(
      'engines: naive: version "2" is not in its engine.json, which has 1.0.\n',
    )
    expect((await engines(['--adapters', adapters])).stdout).toContain('naive')
  })
})
