// Runs the tests of a suite for one mutant after the other: `{number}` in, `{killedBy}` out. Ends a mutant at its first failure.
import { parentPort, workerData } from 'node:worker_threads'

const { suite, names, key } = workerData
const { declared } = await import(suite)
let tests = names === null ? declared : declared.filter(({ name }) => names.includes(name))

async function fails(test) {
  try {
    await test.run()
    return false
  } catch {
    return true
  }
}

/** What passes when nothing is changed, in what processor time, in milliseconds. */
async function tryOut() {
  const passed = []
  for (const test of tests) {
    const start = process.cpuUsage()
    if (await fails(test)) continue
    const { user, system } = process.cpuUsage(start)
    passed.push({ name: test.name, took: (user + system) / 1000 })
  }
  return passed
}

async function killerOf(number) {
  globalThis[key] = number
  for (const test of tests) {
    if (!(await fails(test))) continue
    // What killed one mutant is tried first for the next: its neighbours stand in the same code.
    tests = [test, ...tests.filter((each) => each !== test)]
    return test.name
  }
  return null
}

async function answerTo(number) {
  return number === null ? { passed: await tryOut(), declared: declared.length } : { killedBy: await killerOf(number) }
}

parentPort.on('message', ({ number }) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  void answerTo(number).then((answer) => parentPort.postMessage(answer))
})
