import { Raise } from '@callspec/python'
import { make } from '../runtime/run.ts'
import { equal, findKey, setKey } from '../values/equality.ts'
import { itemsOf } from '../values/iterate.ts'
import { define } from '../values/signature.ts'
import type { Dict, List, PythonFunction, Run, Value } from '../values/value.ts'
import { isDict, isList, isTuple } from '../values/value.ts'
import { startArgument, stopArgument } from './arguments.ts'
import { repr } from '../values/text.ts'

/** The methods of `dict` by name that change nothing. */
export const DICT_METHODS: Readonly<Record<string, PythonFunction>> = {
  get: define('dict.get(self, key, default=None, /)', (run, self, key, otherwise) => {
    const dict = dictOf(self)
    const found = findKey(dict, key, run)
    return found === undefined ? otherwise : (dict.get(found) ?? null)
  }),
  items: define('dict.items(self, /)', (_, self) => ({ kind: 'view', part: 'items', dict: dictOf(self) })),
  keys: define('dict.keys(self, /)', (_, self) => ({ kind: 'view', part: 'keys', dict: dictOf(self) })),
  values: define('dict.values(self, /)', (_, self) => ({ kind: 'view', part: 'values', dict: dictOf(self) })),
  copy: define('dict.copy(self, /)', (run, self) => copyOf(self, run)),
  fromkeys: define('dict.fromkeys(self, iterable, value=None, /)', (run, _, keys, value) => {
    const dict = new Map<Value, Value>()
    for (const key of itemsOf(keys, run)) setKey(dict, [key, value], run)
    return dict
  }),
}

/** The methods of `list` by name that change nothing. */
export const LIST_METHODS: Readonly<Record<string, PythonFunction>> = {
  copy: define('list.copy(self, /)', (run, self) => copyOf(self, run)),
  ...sequenceMethods('list'),
}

/** The methods of `tuple` by name. */
export const TUPLE_METHODS: Readonly<Record<string, PythonFunction>> = sequenceMethods('tuple')

/** The methods of `dict` and `list` that the sandbox refuses, because they change the object. */
export const MUTATORS: Readonly<Record<'dict' | 'list', ReadonlySet<string>>> = {
  dict: new Set(['clear', 'pop', 'popitem', 'setdefault', 'update']),
  list: new Set(['append', 'clear', 'pop', 'reverse', 'insert', 'sort', 'extend', 'remove']),
}

function dictOf(self: Value): Dict {
  return isDict(self) ? self : new Map()
}

function listOf(self: Value): List {
  return isList(self) ? self : isTuple(self) ? self.items : []
}

function copyOf(self: Value, run: Run): Value {
  make(run, 64 * (isList(self) ? self.length : dictOf(self).size))
  return isList(self) ? [...self] : new Map(dictOf(self))
}

function sequenceMethods(type: string): Readonly<Record<string, PythonFunction>> {
  return {
    count: define(`${type}.count(self, value, /)`, (run, self, value) =>
      BigInt(listOf(self).filter((item) => equal(item, value, run)).length),
    ),
    index: define(`${type}.index(self, value, start=None, stop=None, /)`, (run, self, value, start, stop) => {
      const items = listOf(self)
      const clamp = (index: number): number => (index < 0 ? Math.max(0, index + items.length) : index)
      const [from, to] = [clamp(startArgument(start)), Math.min(items.length, clamp(stopArgument(stop)))]
      for (let at = from; at < to; at++) if (equal(items[at] ?? null, value, run)) return BigInt(at)
      throw new Raise('ValueError', `${type === 'list' ? repr(value, run) : `${type}.index(x): x`} is not in ${type}`)
    }),
  }
}
