// A collector in a process of its own: node collector-child.mjs '{"config", "url", "resume", "slowMs"}'. It prints the folder.
import { fsync, writeSync } from 'node:fs'
import { runEval } from '@callspec/eval'
import { evaluateOverQueue } from '../../dist/index.js'

const { config, url, resume, slowMs } = JSON.parse(process.argv[2] ?? '{}')
const begun = process.cpuUsage()
const still = new Int32Array(new SharedArrayBuffer(4))
const system = {
  write: (file, bytes, offset) => {
    if (slowMs > 0) Atomics.wait(still, 0, 0, slowMs)
    return writeSync(file, bytes, offset)
  },
  sync: (file, done) => fsync(file, done),
}
const onEvent = (event) => {
  if (event.type === 'folder') process.stdout.write(`${JSON.stringify({ folder: event.folder })}\n`)
}
const going = resume === null ? {} : { resume: { folder: resume } }

try {
  if (url === null) await runEval(config, { onEvent, ...going })
  else await evaluateOverQueue(config, { queue: { url, prefix: 'test' }, onEvent, system, ...going })
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
const { user, system: kernel } = process.cpuUsage()
process.stdout.write(
  `${JSON.stringify({ cpuMs: (user + kernel) / 1000, startMs: (begun.user + begun.system) / 1000, rss: process.resourceUsage().maxRSS / 1024 })}\n`,
)
process.exit(process.exitCode ?? 0)
