// Runs the tests of a suite: all of them to see what each costs and reaches, or some for one mutant, up to the first failure.
import { parentPort, workerData } from 'node:worker_threads'

const { suite, on: atFirst, switchName, tickName } = workerData

let on = atFirst
let reached = null
let isReached = false
let ticks = 0
let mostTicks = Infinity
globalThis[switchName] = (number) => {
  reached?.add(number)
  if (number !== on) return false
  isReached = true
  return true
}
globalThis[tickName] = () => {
  if (++ticks > mostTicks) throw new Error('an endless loop')
}
// What a test leaves behind is no failure of the next one.
process.on('uncaughtException', () => undefined)
process.on('unhandledRejection', () => undefined)

if (on === null) reached = new Set()
const { declared } = await import(suite)
const atLoad = [...(reached ?? [])]
const tests = new Map()
for (const { name, run } of declared) {
  let key = name
  for (let again = 2; tests.has(key); again++) key = `${name} (${again})`
  tests.set(key, run)
}

async function fails(name) {
  ticks = 0
  try {
    await tests.get(name)()
    return false
  } catch {
    return true
  }
}

/** What passes when nothing is changed, in what processor time in milliseconds, in how many turns of loops, and what it reaches. */
async function tryOut(names) {
  const passed = []
  for (const name of names ?? tests.keys()) {
    reached = new Set()
    const start = process.cpuUsage()
    if (await fails(name)) continue
    const { user, system } = process.cpuUsage(start)
    passed.push({ name, took: (user + system) / 1000, ticks, reached: [...reached] })
  }
  reached = null
  return { passed, declared: tests.size, atLoad }
}

/**
 * The first of the tests that fails, and whether it passes when the mutant is off again: else something stays behind. Where none fails:
 * whether one did not come by the mutant, since what was made there is kept from an earlier run.
 */
async function killerOf(number, wanted) {
  on = number
  reached = null
  let isHidden = false
  for (const { name, ticks: usual } of wanted) {
    // A mutant can leave tests out: those that are made from what our code says.
    mostTicks = 20 * usual + 100_000
    isReached = false
    if (tests.has(name) && !(await fails(name))) {
      isHidden ||= !isReached
      continue
    }
    on = null
    mostTicks = Infinity
    return { killedBy: name, isClean: tests.has(name) && !(await fails(name)), isHidden: false }
  }
  return { killedBy: null, isClean: true, isHidden }
}

parentPort.on('message', ({ number, names, wanted }) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  void (number === null ? tryOut(names) : killerOf(number, wanted)).then((answer) => parentPort.postMessage(answer))
})
