// An implementation that answers every question rightly (a text is prose), except for its vice: liar.mjs VICE [FILE].
// The vice shows at question 7 where it would otherwise end everything; smoke questions are not counted.
import { spawn } from 'node:child_process'
import { writeFileSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [vice, file] = process.argv.slice(2)
const say = (message) => writeSync(1, `${JSON.stringify(message)}\n`)
const text = (value) => ({ items: [{ type: 'text', text: value }] })
let asked = 0

/** What each vice does in place of answering. Gives back whether the right answer follows. */
const VICES = {
  honest: () => true,
  'always wrong': ({ seq }) => say({ seq, output: text('wrong') }),
  'never answers': () => undefined,
  'wrong id': ({ seq }) => say({ seq: seq + 1000, output: text('x') }),
  rubbish: () => writeSync(1, 'Loading the model …\n') > 0,
  'crashes at 7': () => asked !== 7 || process.exit(3),
  'hangs at 7': () => asked !== 7 || Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
  'answers twice': ({ seq, input }) => {
    say({ seq, output: text(input.text) })
    return true
  },
  'floods stderr': () => {
    for (let at = 0; at < 50; at += 1) writeSync(2, 'x'.repeat(100_000))
    return true
  },
  'answers with 100 MB': ({ seq }) => {
    if (asked !== 7) return true
    writeSync(1, `{"seq": ${seq}, "output": {"items": [{"type": "text", "text": "`)
    for (let at = 0; at < 100; at += 1) writeSync(1, 'x'.repeat(1_000_000))
    say({})
  },
  'invalid UTF-8': ({ seq }) => {
    if (asked !== 7) return true
    writeSync(1, Buffer.concat([Buffer.from(`{"seq": ${seq}, "skipped": "`), Buffer.of(0xff, 0x22, 0x7d, 0x0a)]))
  },
  'another shape': ({ seq }) => say({ seq, output: { prose: 'x' } }),
  'two answers in one': ({ seq }) => say({ seq, output: text('x'), skipped: 'no' }),
  'out of order': ({ seq }) => asked !== 7 || say({ seq: seq + 1, output: text('8') }) > 1e9,
  'ignores SIGTERM and forks': () => {
    if (asked !== 7) return true
    process.on('SIGTERM', () => undefined)
    const child = spawn('sleep', ['1000'], { stdio: 'inherit' })
    writeFileSync(file ?? '', `${process.pid} ${child.pid}`)
    return false
  },
  'says that it broke': ({ seq }) => say({ seq, errored: 'out of memory' }),
  declines: ({ seq }) => say({ seq, skipped: 'no tools here' }),
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line)
  if (request.cmd === 'stop') break
  if (request.cmd === 'start') {
    if (vice === 'chatters before it starts') writeSync(1, 'Welcome\n')
    const protocol = vice === 'another protocol' ? 2 : 1
    if (vice !== 'never starts') say({ protocol, name: 'liar', version: '1', supports: [{ operations: ['parse'] }] })
  }
  if (request.cmd !== 'run') continue
  const isSmoke = request.id.startsWith('smoke/')
  if (!isSmoke) asked += 1
  const act = isSmoke ? VICES.honest : (VICES[vice] ?? VICES.honest)
  if (act(request) === true) say({ seq: request.seq, output: text(request.input.text) })
}
// What an open pipe or a child would keep alive.
if (vice !== 'ignores SIGTERM and forks') process.exit(0)
