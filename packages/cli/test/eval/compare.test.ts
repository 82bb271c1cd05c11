import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { displayWidth } from '../../src/columns.ts'
import { folderWith } from '../helpers/folder.ts'
import { inProcess } from '../helpers/in-process.ts'

const words = (line: string): readonly string[] => line.split(' ')

/** A folder with two runs, `a` and `b`. */
async function runsOf(one: string, other: string): Promise<string> {
  const cwd = folderWith({})
  for (const [name, options] of [
    ['a', one],
    ['b', other],
  ] as const) {
    await inProcess(words(`eval -f react -n 7 --repeat 1 --no-table --reports ${name}-runs ${options}`), { cwd })
    const [folder = ''] = readdirSync(join(cwd, `${name}-runs`)).filter((each) => each !== 'latest')
    cpSync(join(cwd, `${name}-runs`, folder), join(cwd, name), { recursive: true })
  }
  return cwd
}

describe('callspec compare', { timeout: 60_000 }, () => {
  it('of runs without a common seed says why, prints no table, and ends with 3', async () => {
    const cwd = await runsOf('-m sim/perfect', '-m sim/perfect --seed 5')

    const { code, stdout } = await inProcess(words('compare a b --html c.html'), { cwd })
    const asJson = await inProcess(words('compare a b --json'), { cwd })
    const gated = await inProcess(words('compare a b --fail-on-regression'), { cwd })
    const reason = '14 of 14 episodes have no partner: seeds only before: 0; seeds only after: 5'

    expect(code).toBe(3)
    expect(stdout.replaceAll(/\s+/g, ' ')).toBe(`before a after b nothing to compare: ${reason} `)
    expect(readFileSync(join(cwd, 'c.html'), 'utf8')).toContain(reason)
    expect([asJson.code, gated.code]).toEqual([3, 3])
  })

  it('calls neither fewer calls nor fewer tokens better of a model that solves nothing', async () => {
    const cwd = await runsOf('-m sim/perfect', '-m sim/oracle?policy=premature:1')

    const { code, stdout } = await inProcess(words('compare a b'), { cwd })

    expect(code).toBe(0)
    expect(stdout).toMatch(/^\| success +\| +100\.0 \| +0\.0 \| -100\.0 \* \| -100 to -100 \| .* \| worse +\|$/m)
    for (const figure of ['calls', 'turns', 'tokens'])
      expect(stdout).toMatch(new RegExp(`^\\| ${figure} +\\| +— \\| +— \\| — +\\| +\\| +\\| +\\|$`, 'm'))
    expect(stdout).not.toMatch(/\| (better|fewer) /)
    expect(stdout.split('\n').filter((line) => displayWidth(line) > 80)).toEqual([])
  })
})
