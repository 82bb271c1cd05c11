import { Raise } from '@callspec/python'
import { define } from '../values/signature.ts'
import type { Instance, List, PythonFunction, Value } from '../values/value.ts'

/** `cycler(a, b)`: gives its items in turn. */
export function createCycler(items: List): Instance {
  if (items.length === 0) throw new Raise('RuntimeError', 'at least one item has to be provided')
  let place = 0
  const current = (): Value => items[place] ?? null
  const methods: Readonly<Record<string, PythonFunction>> = {
    next: define('Cycler.next()', () => {
      const item = current()
      place = (place + 1) % items.length
      return item
    }),
    reset: define('Cycler.reset()', () => {
      place = 0
      return null
    }),
  }
  return {
    kind: 'instance',
    type: 'Cycler',
    repr: () => '<jinja2.utils.Cycler object>',
    attribute: (name) => {
      if (name === 'current') return current()
      if (name === 'pos') return BigInt(place)
      if (name === 'items') return { kind: 'tuple', items }
      return Object.hasOwn(methods, name) ? methodValue(name, methods[name]) : undefined
    },
  }
}

/** `joiner(separator)`: nothing at first, then the separator. */
export function createJoiner(separator: Value): Instance {
  let used = false
  return {
    kind: 'instance',
    type: 'Joiner',
    repr: () => '<jinja2.utils.Joiner object>',
    attribute: (name) => (name === 'sep' ? separator : name === 'used' ? used : undefined),
    call: define('Joiner.__call__()', () => {
      if (used) return separator
      used = true
      return ''
    }),
  }
}

function methodValue(name: string, call: PythonFunction | undefined): Instance | undefined {
  if (call === undefined) return undefined
  return { kind: 'instance', type: 'method', repr: () => `<bound method ${name}>`, call }
}
