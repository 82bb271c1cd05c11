import { readFileSync } from 'node:fs'
import { afterAll } from 'vitest'

// Set up for every file of tests: measures what the file costs and leaves it where `cost-reporter.ts` finds it. It runs before
// anything of the file is loaded, and its hook after every other one, so that loading and cleaning up count.

/** What `getconf CLK_TCK` says on every Linux. */
const TICKS_PER_SECOND = 100

/** Seconds of CPU of this process, and of the ones that it has started and that have ended. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + secondsOfChildren()
}

/** Only Linux says it; elsewhere the cost of processes is missing. */
function secondsOfChildren(): number {
  if (process.platform !== 'linux') return 0
  const stat = readFileSync('/proc/self/stat', 'utf8')
  // The name of the program stands in brackets, and may hold blanks. The fields behind it are numbered from 3 on in proc(5).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND
}

const before = cpuSeconds()

// oxlint-disable-next-line no-empty-pattern -- vitest reads off the pattern that no fixture is wanted
afterAll(({}, suite) => {
  suite.file.meta.cpuSeconds = cpuSeconds() - before
})

declare module 'vitest' {
  interface TaskMeta {
    /** Of a file: what its tests have cost, with what they have loaded and started. */
    cpuSeconds?: number
  }
}
