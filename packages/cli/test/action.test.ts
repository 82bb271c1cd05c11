import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

import { folderWith } from './helpers/folder.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

const TEXT = readFileSync(join(ROOT, 'action.yml'), 'utf8')

/** The defaults of the inputs; undefined for one that must be given. */
const INPUTS: Readonly<Record<string, string | undefined>> = Object.fromEntries(
  Array.from(
    between('inputs:', 'runs:').matchAll(/^ {2}([\w-]+):\n((?: {4}.*\n)+)/gm),
    ([, name = '', members = '']) => [name, /^ {4}default: (.*)$/m.exec(members)?.[1]?.replace("''", '')],
  ),
)

/** The variables and the script of each step. */
const STEPS = between('  steps:', null)
  .split(/^ {4}- /m)
  .slice(1)
  .map((step) => ({
    env: Array.from(step.matchAll(/^ {8}([A-Z]+): (.*)$/gm), ([, name = '', value = '']) => [name, value] as const),
    run: (/^ {6}run: \|\n([^]*)$/m.exec(step)?.[1] ?? '').replaceAll(/^ {8}/gm, ''),
  }))

function between(start: string, end: string | null): string {
  const rest = TEXT.slice(TEXT.indexOf(start) + start.length)
  return end === null ? rest : rest.slice(0, rest.indexOf(end))
}

interface Ended {
  readonly code: number | null
  readonly stderr: string
  readonly outputs: string
}

/** Runs a step of the action as a runner does: its script by bash, with these inputs and the output of the first step. */
function step(
  at: number,
  {
    inputs,
    program = '',
    cwd,
  }: { readonly inputs: Readonly<Record<string, string>>; readonly program?: string; readonly cwd: string },
): Ended {
  const given = STEPS[at]
  if (given === undefined) throw new Error('no such step')
  const filled = given.env.map(([name, text]) => {
    const value = text.replace(
      /\$\{\{ inputs\.([\w-]+) \}\}/,
      (_, input: string) => inputs[input] ?? INPUTS[input] ?? '',
    )
    return [name, value.replace('${{ steps.install.outputs.program }}', () => program)] as const
  })
  const outputs = join(cwd, 'outputs')
  const runner = {
    GITHUB_OUTPUT: outputs,
    GITHUB_ACTIONS: 'true',
    GITHUB_STEP_SUMMARY: join(cwd, 'summary.md'),
    RUNNER_TEMP: cwd,
  }
  const env = { PATH: process.env['PATH'], HOME: cwd, ...runner, ...Object.fromEntries(filled) }
  const { status, stderr } = spawnSync('bash', ['-e', '-o', 'pipefail', '-c', given.run], {
    cwd,
    env,
    encoding: 'utf8',
  })
  return { code: status, stderr, outputs: existsSync(outputs) ? readFileSync(outputs, 'utf8') : '' }
}

describe('action.yml', () => {
  const program = join(ROOT, 'packages/cli/bin/callspec.js')

  it('is composite, and every input but the command has a default', () => {
    expect(TEXT).toContain('\n  using: composite\n')
    expect(Object.keys(INPUTS)).toEqual(['command', 'arguments', 'package', 'sarif', 'working-directory'])
    expect(Object.entries(INPUTS).filter(([, value]) => value === undefined)).toEqual([['command', undefined]])
  })

  it('takes a built checkout as it is', () => {
    const cwd = folderWith({})

    expect(step(0, { inputs: { package: ROOT }, cwd })).toMatchObject({ code: 0, outputs: `program=${program}\n` })
  })

  it.each([
    ['golden verify', 'p', 1, 'file=p/a.golden.txt,line=1,col=1,title=callspec golden-drift'],
    ['template lint', "'my template.jinja'", 1, 'file=my template.jinja,line=1,title=callspec '],
    [
      'conformance run',
      `--one-shot 'echo "{\\"content\\": \\"\\", \\"calls\\": []}"' --format react --id 'react/parse/basic*'`,
      1,
      'title=callspec conformance-',
    ],
  ])('%s: annotations, a summary, and the exit code of the command', (command, words, code, annotation) => {
    const cwd = folderWith({ 'p/a.txt': 'x', 'p/a.golden.txt': 'y', 'my template.jinja': '{{ messages[0].content }}' })
    const sarif = command === 'conformance run' ? '' : 'out.sarif'

    const ended = step(1, { inputs: { command, arguments: words, sarif }, program, cwd })

    expect(ended.code, ended.stderr).toBe(code)
    expect(ended.stderr).toContain(annotation)
    expect(readFileSync(join(cwd, 'summary.md'), 'utf8')).toContain(`## callspec ${command}\n`)
    if (sarif !== '') expect(JSON.parse(readFileSync(join(cwd, sarif), 'utf8'))).toMatchObject({ version: '2.1.0' })
  })

  it('doctor: a simulated model is examined, and a wrong command is misuse', () => {
    const cwd = folderWith({})

    const healthy = step(1, { inputs: { command: 'doctor', arguments: '-m sim/perfect' }, program, cwd })
    const wrong = step(1, { inputs: { command: 'doktor' }, program, cwd })

    expect(healthy.code, healthy.stderr).toBe(0)
    expect(readFileSync(join(cwd, 'summary.md'), 'utf8')).toContain('## callspec doctor\n')
    expect(wrong.code).toBe(2)
  })
})
