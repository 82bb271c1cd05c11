// What test files take from vitest, in as few words as a run of them needs that is repeated for every mutant.
import { expect as chaiExpect, prepare } from 'callspec:expect'

export const expect = prepare()
void chaiExpect

/** Every test that was declared, in order: `{name, run}`. */
export const declared = []
let path = []
let hooks = []

export function describe(name, ...rest) {
  const body = rest.findLast((each) => typeof each === 'function')
  if (body === undefined) return
  const before = [path, hooks]
  path = [...path, String(name)]
  hooks = [...hooks]
  body()
  ;[path, hooks] = before
}

export function it(name, ...rest) {
  const body = rest.findLast((each) => typeof each === 'function')
  if (body === undefined) return
  const before = hooks
  declared.push({
    name: [...path, String(name)].join(' > '),
    run: async () => {
      for (const hook of before) await hook()
      await body({ expect })
    },
  })
}
export const test = it

function each(declare) {
  return (table) =>
    (name, ...rest) => {
      const body = rest.findLast((one) => typeof one === 'function')
      table.forEach((row, at) => declare(`${name} #${at}`, () => (Array.isArray(row) ? body(...row) : body(row))))
    }
}
const none = () => undefined
for (const declare of [describe, it]) {
  declare.each = each(declare)
  declare.for = (table) => (name, body) =>
    table.forEach((row, at) => declare(`${name} #${at}`, () => body(row, { expect })))
  declare.concurrent = Object.assign((...words) => declare(...words), { each: declare.each })
  declare.skip = Object.assign(none, { each: () => none })
  declare.only = declare
  declare.skipIf = (condition) => (condition ? declare.skip : declare)
  declare.runIf = (condition) => (condition ? declare : declare.skip)
}

export const beforeEach = (hook) => void hooks.push(hook)
export const beforeAll = (hook) => {
  let done = null
  hooks.push(() => (done ??= Promise.resolve(hook())))
}
export const afterEach = none
export const afterAll = none
export const onTestFinished = none
// A test that needs more than this fails before anything is changed, and is left out.
export const vi = {}
export const expectTypeOf = () => new Proxy(none, { get: () => none })
