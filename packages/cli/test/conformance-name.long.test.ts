import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

import { folderWith, namesIn } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'

it('a one-shot program has the name that it was given, and its cells lead to its failing cases', async () => {
  const cwd = folderWith({ 'stop.sh': 'cat > /dev/null; echo \'{"text": "never"}\'' })
  const words = ['--one-shot', 'sh stop.sh', '--name', 'my stopper', '--format', 'nous', '--op', 'stop']

  const run = await inProcess(['conformance', 'run', ...words, '--scoreboard', 'boards', '--json', 'results.jsonl'], {
    cwd,
  })
  const page = ['conformance', 'matrix', 'boards', '--html', 'm.html', '--results', 'results.jsonl']
  const matrix = await inProcess(page, { cwd })
  const html = readFileSync(join(cwd, 'm.html'), 'utf8')
  const link = /<a href="#([^"]+)"/.exec(html)?.[1] ?? 'no link'

  expect([run.code, matrix.code]).toEqual([1, 0])
  expect(namesIn(join(cwd, 'boards'))).toEqual([expect.stringMatching(/^my-stopper/)])
  expect(run.stdout).toMatch(/^"?my stopper"?, one process per case/m)
  expect(link).toMatch(/^cell=\d+$/)
  expect(html).toContain('my stopper')
})
