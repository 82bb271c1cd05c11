import { spawn } from 'node:child_process'
import { createReadStream, createWriteStream, readFileSync } from 'node:fs'
import { finished } from 'node:stream/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BINARY } from './helpers/binary.ts'
import { folderWith } from './helpers/folder.ts'

const MEGABYTES = 50
const PROSE = 'The weather in Oslo is mild today, and the call follows.\n'
const CALL =
  '<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo", "note": "a \\"quoted\\" text, and more words"}}\n</tool_call>\n'

/** What a reply of 50 MB is made of: the beginning, what repeats, and the end. */
const REPLIES: readonly (readonly [name: string, begin: string, repeated: string, end: string])[] = [
  ['many calls', '', PROSE + CALL, ''],
  ['many calls in two-byte characters', '天气', PROSE + CALL, ''],
  ['prose', '', PROSE, CALL],
  ['one call', '<tool_call>\n{"name": "write", "arguments": {"text": "', 'words and words, ', '"}}\n</tool_call>'],
]

/** The most memory that the program has held, in MB, as Linux counts it; that of the test's own process is not in it. */
async function peakOf(words: readonly string[], cwd: string): Promise<number> {
  const child = spawn(process.execPath, [BINARY, ...words], { cwd, stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdout.resume()
  if (words.includes('-')) createReadStream(join(cwd, 'reply.txt')).pipe(child.stdin)
  let peak = 0
  const look = setInterval(() => {
    const [, kilobytes = '0'] = /^VmHWM:\s+(\d+)/m.exec(statusOf(child.pid)) ?? []
    peak = Math.max(peak, Number(kilobytes) / 1024)
  }, 5)
  const code = await new Promise((resolve) => child.once('close', resolve))
  clearInterval(look)
  expect(code).toBe(0)
  return peak
}

function statusOf(pid: number | undefined): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}

describe.skipIf(process.platform !== 'linux')('parse --json', () => {
  it.each(REPLIES)('of 50 MB of %s holds at most 250 MB', async (name, begin, repeated, end) => {
    const cwd = folderWith({})
    const file = createWriteStream(join(cwd, 'reply.txt'))
    file.write(begin)
    const block = repeated.repeat(Math.ceil(1e6 / repeated.length))
    for (let at = 0; at < MEGABYTES; at += 1) file.write(block)
    file.end(end)
    await finished(file)

    for (const path of ['reply.txt', '-']) {
      const peaks: number[] = []
      while (peaks.length < 3)
        peaks.push(await peakOf(['parse', path, '--format', 'nous', '--profile', 'strict', '--json'], cwd))

      console.log(`parse ${path} --json of 50 MB of ${name}: ${peaks.map((peak) => peak.toFixed(0)).join(', ')} MB`)
      expect(Math.max(...peaks)).toBeLessThan(250)
      expect(Math.min(...peaks)).toBeGreaterThan(30)
    }
  })
})
