import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { shownOptions } from '../src/command.ts'
import { COMMANDS } from '../src/commands.ts'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'

const hasZsh = spawnSync('zsh', ['--version']).status === 0

async function scriptFor(shell: string): Promise<string> {
  const { code, stdout, stderr } = await inProcess(['completion', shell])
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}

/** Runs bash code after the script has been read, in a folder without files; gives the lines that it prints. */
async function inBash(code: string, words: readonly string[] = []): Promise<readonly string[]> {
  const file = join(folderWith({ 'completion.bash': await scriptFor('bash') }), 'completion.bash')
  const shell = ['--norc', '--noprofile', '-uc', `PATH=/nowhere; source "$0"; ${code}`, file, ...words]
  // A program that the script would start is not found.
  const { stdout, stderr } = spawnSync('bash', shell, { cwd: dirname(file), encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.split('\n').slice(0, -1)
}

/** What Tab offers after these words; the last is the one that is being typed. */
function offered(...words: readonly string[]): Promise<readonly string[]> {
  const press = 'COMP_WORDS=(callspec "$@"); COMP_CWORD=$#; _callspec'
  return inBash(`${press}; [ \${#COMPREPLY[@]} -eq 0 ] || printf '%s\\n' "\${COMPREPLY[@]}"`, words)
}

describe('callspec completion bash', () => {
  it('is a script that bash can read, and completes callspec', async () => {
    expect(await inBash('complete -p callspec')).toEqual(['complete -o default -F _callspec callspec'])
  })

  it('offers every command', async () => {
    const names = COMMANDS.map(({ name }) => name)

    expect(await offered('')).toEqual([...names, 'help', '--help', '--version'])
    expect(await offered('help', '')).toEqual(names)
    expect(await offered('conf')).toEqual(['conformance'])
  })

  it('offers every long option of every command, and its subcommands', async () => {
    const lists =
      'for c in "$@"; do COMP_WORDS=(callspec $c --); COMP_CWORD=2; _callspec; echo "${COMPREPLY[*]}"; COMP_WORDS=(callspec $c \'\'); _callspec; echo "${COMPREPLY[*]-}"; done'
    const commands = await Promise.all(COMMANDS.map(({ load }) => load()))

    const lines = await inBash(
      lists,
      commands.map(({ name }) => name),
    )

    const expected = commands.flatMap(({ options, subcommands = {}, takesRuns }) => {
      const names = shownOptions(options).flatMap(([name, { negatable }]) =>
        negatable === true ? [`--${name}`, `--no-${name}`] : [`--${name}`],
      )
      const offers =
        takesRuns === true && Object.keys(subcommands).length === 0 ? 'latest' : Object.keys(subcommands).join(' ')
      return [[...names, '--help', '--no-color'].join(' '), offers]
    })
    expect(lines).toEqual(expected)
  })

  it('offers the choices of an option, by any of its spellings', async () => {
    expect(await offered('render', '--lang', '')).toEqual(['auto', 'en', 'zh'])
    expect(await offered('render', '--lang', 'e')).toEqual(['en'])
    expect(await offered('render', '--lang', '=')).toEqual(['auto', 'en', 'zh'])
    expect(await offered('render', '--lang', '=', 'z')).toEqual(['zh'])
    expect(await offered('eval', '-f', 'nou')).toEqual([
      'nous',
      'nous@granite-4.0',
      'nous@granite-4.1',
      'nous@reka-edge',
    ])
  })

  it('offers formats, laws and models where others would do as well', async () => {
    expect(await offered('parse', '--format', 'qwen3')).toEqual(['qwen3-coder', 'qwen3.5'])
    expect(await offered('fuzz', '--law', 'tot')).toEqual(['totality'])
    expect(await offered('eval', '-m', 'sim/f')).toContain('sim/faulty')
    expect(await offered('score', '--format', 'kimi-k2')).toEqual(['kimi-k2', 'kimi-k2-thinking'])
  })

  it('offers the runs that are there, whose names it does not expand', async () => {
    const names = ['2026-11-01', '2026-11-02 $(exit 7)']
    const folder = folderWith(Object.fromEntries(names.map((name) => [`reports/${name}/run.json`, '{}'])))
    const runs = (...words: readonly string[]) =>
      inBash(
        `cd '${folder}'; COMP_WORDS=(callspec "$@"); COMP_CWORD=$#; _callspec; [ \${#COMPREPLY[@]} -eq 0 ] || printf '%s\\n' "\${COMPREPLY[@]}"`,
        words,
      )

    const shown = ['2026-11-01', String.raw`2026-11-02\ \$\(exit\ 7\)`]
    expect(await runs('report', '')).toEqual(['latest', ...shown])
    expect(await runs('compare', '2026-11-01', '20')).toEqual(shown)
    expect(await runs('eval', '--resume', 'l')).toEqual(['latest'])
    expect(await runs('report', '--output', '')).toEqual([])
    expect(await runs('parse', '')).toEqual([])
  })

  it('leaves everything else to the names of files', async () => {
    expect(await offered('render', '')).toEqual([])
    expect(await offered('render', '--output', '')).toEqual([])
    expect(await offered('no-such-command', '--x')).toEqual([])
    expect(await offered('render', '--lang', '$(exit 7)`exit 7`')).toEqual([])
  })
})

describe('callspec completion zsh', () => {
  it('names every command, subcommand, option and choice', async () => {
    const script = await scriptFor('zsh')
    const parts = new Map(
      Array.from(script.matchAll(/^ {4}(\S+)\)\n([^]*?)\n {6};;/gm), ([, name = '', part = '']) => [name, part]),
    )

    expect(script.startsWith('#compdef callspec\n')).toBe(true)
    expect([...parts.keys()]).toEqual(COMMANDS.map(({ name }) => name))
    for (const { name, summary, load } of COMMANDS) {
      const { options, subcommands = {} } = await load()
      const part = parts.get(name) ?? ''
      expect(script).toContain(`    '${name}:${summary.replaceAll("'", String.raw`'\''`)}'\n`)
      for (const [option] of shownOptions(options)) expect(part).toMatch(new RegExp(`'[*]?--${option}[=[]`))
      expect(part.includes('subcommand:(')).toBe(Object.keys(subcommands).length > 0)
      for (const { choices = [] } of shownOptions(options).map(([, spec]) => spec))
        expect(part).toContain(choices.length > 0 ? `(${choices.join(' ')})'` : '')
    }
  })

  it('closes every quotation mark', async () => {
    const file = join(folderWith({ _callspec: await scriptFor('zsh') }), '_callspec')

    // What the script uses of zsh's own syntax, bash reads as well.
    expect(spawnSync('bash', ['-n', file], { encoding: 'utf8' }).stderr).toBe('')
  })

  it.skipIf(!hasZsh)('is a script that zsh can read', async () => {
    const file = join(folderWith({ _callspec: await scriptFor('zsh') }), '_callspec')

    expect(spawnSync('zsh', ['-n', file], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
  })
})

describe('callspec completion', () => {
  it.each(['bash', 'zsh', 'fish'])('offers runs, formats and models in %s', async (shell) => {
    const script = await scriptFor(shell)

    expect(script).toMatch(/qwen3-coder[^]*kimi-k3/)
    expect(script).toContain('sim/faulty')
    expect(script).toContain('reports/*/run.json')
  })

  it('names every command and option in fish', async () => {
    const script = await scriptFor('fish')

    for (const { name, load } of COMMANDS) {
      const { options } = await load()
      for (const [option] of shownOptions(options))
        expect(script).toContain(`complete -c callspec -n '__fish_seen_subcommand_from ${name}' -l ${option} `)
    }
  })

  it('asks which shell is meant', async () => {
    const { code, stdout, stderr } = await inProcess(['completion'])

    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toBe('callspec: callspec completion needs one of: bash, zsh, fish. See callspec completion --help\n')
  })
})
