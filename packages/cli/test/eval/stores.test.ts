import { expect, it } from 'vitest'
import { folderWith } from '../helpers/folder.ts'
import { inProcess } from '../helpers/in-process.ts'

it('warns of a tape to go on with that is not there, and of no other', async () => {
  const cwd = folderWith({})
  const words = 'eval -m sim/perfect -f native -n 1 --repeat 1 --no-table --replay tape.jsonl'.split(' ')

  const first = await inProcess(words, { cwd })
  const second = await inProcess(words, { cwd })

  expect(first.stderr).toContain(
    'callspec: warning: tape.jsonl does not exist yet: everything is requested, and recorded in it. Is the name right?\n',
  )
  expect([first.code, second.code]).toEqual([0, 0])
  expect(second.stderr).not.toContain('Is the name right?')
})

it('says of a folder that is named as a tape what it is', async () => {
  const { code, stderr } = await inProcess(['eval', '--replay', '.'], { cwd: folderWith({}) })

  expect([code, stderr]).toEqual([2, 'callspec: . is a folder. Name a file\n'])
})

it('plays a tape by `replay` as by `eval --replay --strict`, with options that only the help of eval lists', async () => {
  const cwd = folderWith({})
  const run = 'eval -m sim/perfect -f native -n 1 --repeat 1 --max-tokens 500'.split(' ')
  const rows = (text: string): unknown => (JSON.parse(text) as { readonly rows: unknown }).rows
  await inProcess([...run, '--record', 'tape.jsonl', '--no-table'], { cwd })

  const short = await inProcess(['replay', 'tape.jsonl', ...run.slice(1), '--json'], { cwd })
  const long = await inProcess([...run, '--replay', 'tape.jsonl', '--strict', '--json'], { cwd })
  const other = await inProcess(['replay', 'tape.jsonl', ...run.slice(1, -2), '--json'], { cwd })
  const { stdout } = await inProcess(['replay', '--help'], { cwd })

  expect([short.code, long.code, other.code]).toEqual([0, 0, 2])
  expect(rows(short.stdout)).toEqual(rows(long.stdout))
  expect(other.stderr).toContain('tape.jsonl holds no answer for a request to "sim/perfect"')
  const listed = [...stdout.matchAll(/^ {2}(?:-\w, )?--([a-z-]+)/gm)].map(([, name]) => name)
  expect(listed.length - listed.indexOf('help')).toBe(1)
  expect(listed.length).toBeGreaterThan(10)
  expect(listed.length).toBeLessThanOrEqual(13)
})
