import { spawn } from 'node:child_process'
import { expect, it } from 'vitest'

import { BINARY } from './helpers/binary.ts'

/** What the harness says to a line while nobody closes its stdin, and its exit code. */
async function saidTo(line: string): Promise<{ readonly code: number | null; readonly stderr: string }> {
  const child = spawn(process.execPath, [BINARY, 'harness'])
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.stdin.write(`${line}\n`)
  return new Promise((resolve) => {
    child.on('close', (code) => {
      resolve({ code, stderr })
    })
  })
}

const RUN = '"op": "parse", "format": "nous", "profile": "strict", "input": {"text": "a"}'

it.each([
  ['no JSON', 'no JSON', 'is not JSON'],
  ['a number below the first', `{"cmd": "run", "seq": 0, "id": "x", ${RUN}}`, 'seq: 0 is less than 1.'],
  ['a question without id', `{"cmd": "run", "seq": 1, ${RUN}}`, 'required property "id".'],
  ['another command', '{"cmd": "halt"}', 'cmd: must be one of "start", "run", "feed", "end", "stop".'],
])('ends at once behind %s, and names what is wrong', async (_, line, message) => {
  const { code, stderr } = await saidTo(line)

  expect(code).toBe(2)
  expect(stderr).toContain(message)
})
