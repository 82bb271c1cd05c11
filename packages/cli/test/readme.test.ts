import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { BINARY } from './helpers/binary.ts'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'

// Every block of the README is either a file (its first line is a comment with the name) or a session (`$ command`, then
// what it prints). Sessions are run in order, in one folder.

const README = readFileSync(join(import.meta.dirname, '../../../README.md'), 'utf8')
/** Commands that take a minute, or need data that does not lie here. */
const ELSEWHERE = /^(?:npx \S+ \S+ test|callspec score)/
const EVAL = /^npx \S+ \S+ eval$/
/** What needs neither a shell nor a process of its own: no pipe, no module that changes, one stream of output. */
const ALONE = /^callspec (?:render|parse|conformance) [\w ."/-]*$/
const SHELL = `callspec() { '${process.execPath}' '${BINARY}' "$@"; }\n`

interface Step {
  readonly command: string
  readonly output: string
}

it('shows what its commands print', { timeout: 60_000 }, async () => {
  const cwd = folderWith({})
  const steps: Step[] = []
  const printed: Step[] = []

  for (const [, block = ''] of README.matchAll(/^```\w*\n([^]*?)^```$/gm)) {
    const name = /^\/\/ (\S+)\n/.exec(block)
    if (name !== null) writeFileSync(join(cwd, name[1] ?? ''), block.slice(name[0].length))
    for (const step of stepsIn(block)) {
      // The file is what the README shows of it.
      const shown = /^cat (\S+)$/.exec(step.command)
      if (shown !== null) writeFileSync(join(cwd, shown[1] ?? ''), step.output)
      if (ELSEWHERE.test(step.command)) continue
      steps.push(step)
      printed.push({ command: step.command, output: await run(step.command, cwd, step.output) })
    }
  }

  expect(steps.length).toBeGreaterThan(10)
  expect(printed).toEqual(steps)
})

function stepsIn(block: string): readonly Step[] {
  return Array.from(block.matchAll(/^\$ (.*)\n([^]*?)(?=^\$ |(?![^]))/gm), ([, command = '', output = '']) => ({
    command,
    output,
  }))
}

/** What the command prints, cut where the README has a line `…`, and with the line break that a terminal gets. */
async function run(command: string, cwd: string, expected: string): Promise<string> {
  if (EVAL.test(command)) return sameRunFolder(inShell('callspec eval 2>/dev/null', cwd), expected)
  const printed = ALONE.test(command) ? await alone(command, cwd) : inShell(command, cwd)
  const text = printed === '' || printed.endsWith('\n') ? printed : `${printed}\n`
  const [head, tail] = expected.split('…\n')
  if (head === undefined || tail === undefined) return text
  return text.startsWith(head) && text.endsWith(tail) ? expected : text
}

function inShell(command: string, cwd: string): string {
  const env = { ...process.env, NO_COLOR: '1', CI: '1' }
  return spawnSync('sh', ['-c', `exec 2>&1\n${SHELL}${command}`], { cwd, encoding: 'utf8', env }).stdout
}

async function alone(command: string, cwd: string): Promise<string> {
  const words = Array.from(command.matchAll(/"([^"]*)"|\S+/g), ([word, inQuotes]) => inQuotes ?? word)
  const { stdout, stderr } = await inProcess(words.slice(1), { cwd, env: { CI: '1' } })
  return stdout + stderr
}

/** The name of a run folder begins with the time. */
function sameRunFolder(text: string, expected: string): string {
  const folder = /reports\/\S+/
  return text.replace(folder, () => folder.exec(expected)?.[0] ?? '')
}
