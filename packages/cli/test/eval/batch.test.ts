import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startSimServer } from '@callspec/sim'
import { folderWith, namesIn } from '../helpers/folder.ts'
import { inProcess } from '../helpers/in-process.ts'

const words = (line: string): readonly string[] => line.split(' ')

/** What a batch service does with a file of requests. */
async function serve(requests: string): Promise<string> {
  const server = await startSimServer()
  onTestFinished(() => server.close())
  const lines: string[] = []
  for (const line of requests.trimEnd().split('\n')) {
    const { custom_id: id, url, body } = JSON.parse(line) as { custom_id: string; url: string; body: object }
    const reply = await fetch(server.baseUrl.replace(/\/v1$/, url), { method: 'POST', body: JSON.stringify(body) })
    const response = { status_code: reply.status, body: await reply.json() }
    lines.push(JSON.stringify({ id: `batch_${id}`, custom_id: id, response, error: null }))
  }
  return `${lines.join('\n')}\n`
}

it('a batch service can do the asking, round by round, to the result of a run', { timeout: 60_000 }, async () => {
  const cwd = folderWith({})
  const plan = '-m sim/faulty -f react --filter ^S0[1-3] --repeat 1'

  const begun = await inProcess(words(`batch export ${plan} -o requests.jsonl`), { cwd })
  let rounds = 0
  for (let due = true; due && rounds < 9; rounds += 1) {
    writeFileSync(join(cwd, 'replies.jsonl'), await serve(readFileSync(join(cwd, 'requests.jsonl'), 'utf8')))
    const taken = await inProcess(words('batch import latest replies.jsonl --no-table'), { cwd })
    due = taken.stderr.includes('export again')
    expect(taken.code).toBe(due ? 3 : 0)
    if (due) await inProcess(words('batch export latest -o requests.jsonl'), { cwd })
  }
  const [folder = ''] = namesIn(join(cwd, 'reports'))
  const direct = await inProcess(words(`eval ${plan} --no-stream --json`), { cwd })
  const batched = await inProcess(['report', folder, '--json'], { cwd })

  const shares = (text: string): unknown =>
    (JSON.parse(text) as { rows: { rates: unknown; ends: unknown }[] }).rows.map(({ rates, ends }) => [rates, ends])
  expect([begun.code, begun.stdout]).toEqual([
    0,
    `3 requests in requests.jsonl\nnext: callspec batch import reports/${folder} REPLIES.jsonl\n`,
  ])
  expect(rounds).toBeGreaterThan(1)
  expect(shares(batched.stdout)).toEqual(shares(direct.stdout))
})

it.each([
  ['batch export -m m', 'callspec batch export needs one -o FILE for the requests.'],
  ['batch import', 'callspec batch import needs a run and the file of replies.'],
  ['batch import latest x', 'reports has no last run. Name a run folder.'],
])('callspec %s is misuse', async (line, message) => {
  const { code, stderr } = await inProcess(words(line), { cwd: folderWith({}) })

  expect([code, stderr]).toEqual([2, `callspec: ${message}\n`])
})
