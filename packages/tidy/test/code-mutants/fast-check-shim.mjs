// What test files take from @fast-check/vitest: properties as tests.
import fc from 'fast-check'
import { declared, describe, expect, it as plain } from './vitest-shim.mjs'

// The same texts for every mutant and in every run; which of them is the smallest that fails, nobody asks.
fc.configureGlobal({ seed: 16, endOnFailure: true })

function prop(arbitraries, options) {
  const isList = Array.isArray(arbitraries)
  const all = isList ? arbitraries : [fc.record(arbitraries)]
  return (name, body) =>
    plain(name, () =>
      fc.assert(
        fc.asyncProperty(...all, async (...drawn) => holds(await body(...drawn))),
        options,
      ),
    )
}

/** A property may say no, or throw. */
function holds(answer) {
  return answer !== false
}

export const it = Object.assign((...words) => plain(...words), plain, { prop })
export const test = it
export { declared, describe, expect, fc }
