import { Raise } from '@callspec/python'
import { bigIntArgument } from '../methods/arguments.ts'
import { itemsOf } from '../values/iterate.ts'
import { setKey } from '../values/equality.ts'
import { define } from '../values/signature.ts'
import { str } from '../values/text.ts'
import { typeName } from '../values/type-name.ts'
import { undefinedError } from '../values/undefined.ts'
import type { Arguments, Instance, PythonFunction, Range, Run, Value } from '../values/value.ts'
import { isDict, isUndefined, textOf } from '../values/value.ts'
import { createCycler, createJoiner } from './cycler.ts'
import { lipsum } from './lipsum.ts'
import { strftime } from './strftime.ts'

/** What every chat template can call: the globals of Jinja, and the two that transformers adds. */
export const GLOBALS: ReadonlyMap<string, Value> = new Map(
  Object.entries({
    range: globalFunction('safe_range', (_, given) => range(given)),
    dict: globalFunction('dict', (run, given) => dictFrom(run, given), 'type'),
    namespace: globalFunction('Namespace', namespace, 'type'),
    cycler: globalFunction('Cycler', (_, { positional }) => createCycler(positional), 'type'),
    joiner: globalFunction(
      'Joiner',
      define("Joiner(sep=', ')", (_, separator) => createJoiner(separator)),
      'type',
    ),
    lipsum: globalFunction('generate_lorem_ipsum', lipsum),
    raise_exception: globalFunction(
      'raise_exception',
      define('raise_exception(message)', (run, message) => raise(run, message)),
    ),
    strftime_now: globalFunction(
      'strftime_now',
      define('strftime_now(format)', (run, format) => strftimeNow(run, format)),
    ),
  }),
)

function globalFunction(name: string, call: PythonFunction, type = 'function'): Instance {
  const repr = (): string => (type === 'type' ? `<class '${name}'>` : `<${type} ${name}>`)
  return { kind: 'instance', type, repr, call }
}

/** The sandbox allows no longer range. */
const MAX_RANGE = 100_000

function range({ positional, keywords }: Arguments): Range {
  if (keywords.size > 0) throw new Raise('TypeError', 'range() takes no keyword arguments')
  if (positional.length === 0) throw new Raise('TypeError', 'range expected at least 1 argument, got 0')
  if (positional.length > 3) {
    throw new Raise('TypeError', `range expected at most 3 arguments, got ${positional.length}`)
  }
  const [first = 0n, second, step = 1n] = positional.map(bigIntArgument)
  const [start, stop] = second === undefined ? [0n, first] : [first, second]
  if (step === 0n) throw new Raise('ValueError', 'range() arg 3 must not be zero')
  const span = step > 0n ? stop - start + step - 1n : start - stop - step - 1n
  const length = span < 0n ? 0 : Number(span / (step > 0n ? step : -step))
  if (length <= MAX_RANGE) return { kind: 'range', start, stop, step, length }
  const limit = `The sandbox blocks ranges larger than MAX_RANGE (${MAX_RANGE}).`
  throw new Raise('OverflowError', `Range too big. ${limit}`)
}

function dictFrom(run: Run, { positional: [source, ...rest], keywords }: Arguments, name = 'dict'): Map<Value, Value> {
  if (rest.length > 0) throw new Raise('TypeError', `${name} expected at most 1 argument, got ${rest.length + 1}`)
  const dict = new Map<Value, Value>()
  if (source !== undefined) fillDict(dict, source, run)
  for (const [key, value] of keywords) dict.set(key, value)
  return dict
}

function fillDict(dict: Map<Value, Value>, source: Value, run: Run): void {
  if (isUndefined(source)) throw undefinedError(source)
  if (isDict(source)) {
    for (const [key, value] of source) dict.set(key, value)
    return
  }
  itemsOf(source, run).forEach((entry, index) => {
    const parts = isPair(entry) ? itemsOf(entry, run) : null
    if (parts === null) {
      throw new Raise('TypeError', `cannot convert dictionary update sequence element #${index} to a sequence`)
    }
    const [key, value] = parts
    if (key === undefined || value === undefined || parts.length !== 2) {
      const length = `has length ${parts.length}; 2 is required`
      throw new Raise('ValueError', `dictionary update sequence element #${index} ${length}`)
    }
    setKey(dict, [key, value], run)
  })
}

function isPair(entry: Value): boolean {
  return textOf(entry) !== null || (typeof entry === 'object' && entry !== null)
}

function namespace(run: Run, given: Arguments): Value {
  return { kind: 'namespace', attributes: dictFrom(run, given) }
}

/** The raise of a template's own: its kind is the name of this function. */
const RAISE_EXCEPTION = 'raise_exception'

function raise(run: Run, message: Value): never {
  throw new Raise(RAISE_EXCEPTION, str(message, run))
}

function strftimeNow(run: Run, format: Value): string {
  const text = textOf(format)
  if (text === null) throw new Raise('TypeError', `strftime() argument 1 must be str, not ${typeName(format)}`)
  return strftime(text, run.now())
}
