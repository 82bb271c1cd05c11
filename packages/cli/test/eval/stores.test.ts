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
