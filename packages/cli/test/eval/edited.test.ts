import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { folderWith, namesIn } from '../helpers/folder.ts'
import { inProcess } from '../helpers/in-process.ts'

const words = (line: string): readonly string[] => line.split(' ')

/** A finished run whose journal lacks a line, the folder that it stands in, and its path from there. */
async function editedRun(): Promise<{ readonly cwd: string; readonly run: string }> {
  const cwd = folderWith({})
  await inProcess(words('eval -m sim/perfect -p react --filter ^S0[1-3] --repeat 1 --no-table'), { cwd })
  const [name = ''] = namesIn(join(cwd, 'reports'))
  const path = join(cwd, 'reports', name, 'turns.jsonl')
  writeFileSync(path, readFileSync(path, 'utf8').split('\n').toSpliced(3, 1).join('\n'))
  return { cwd, run: `reports/${name}` }
}

const COMMANDS = ['eval --resume RUN', 'rescore RUN', 'report RUN', 'compare RUN RUN', 'merge RUN --into all']

it.each(COMMANDS)('callspec %s refuses an edited run by name, and goes on with --accept-edited', async (line) => {
  const { cwd, run } = await editedRun()
  const command = line.replaceAll('RUN', run)

  const refused = await inProcess(words(command), { cwd })
  const accepted = await inProcess(words(`${command} --accept-edited`), { cwd })

  expect([refused.code, refused.stderr]).toEqual([
    2,
    `callspec: ${run}/turns.jsonl lacks line 4. Put back what was there, or go on with --accept-edited, which marks the run as edited.\n`,
  ])
  expect([accepted.code, accepted.stderr]).toEqual([0, expect.any(String)])
  expect(`${accepted.stdout}${accepted.stderr}`).toMatch(/changed by hand[^]*lacks line\s+4/)
})

it('callspec report says on the page and in Markdown that a run was edited', async () => {
  const { cwd, run } = await editedRun()

  await inProcess(words(`report ${run} --accept-edited -o report.md`), { cwd })

  expect(readFileSync(join(cwd, 'report.md'), 'utf8')).toContain('changed by hand')
  expect(readFileSync(join(cwd, run, 'report.html'), 'utf8')).toContain('changed by hand')
})

it('callspec eval --accept-edited without --resume is misuse', async () => {
  const { code, stderr } = await inProcess(words('eval --accept-edited'), { cwd: folderWith({}) })

  expect([code, stderr]).toEqual([2, 'callspec: --accept-edited needs --resume [RUN]: which run was edited.\n'])
})
