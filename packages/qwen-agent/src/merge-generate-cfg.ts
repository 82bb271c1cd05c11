import { isDict, isList, Raise } from '@callspec/python'
import type { PyDict, PyList, PyValue } from '@callspec/python'

/**
 * The parameters of one call: those of the model, overlaid with those of the call (spec §8.2, `merge_generate_cfgs`).
 *
 * Keys are overwritten whole, except `stop`: its new words come after the old ones unless they are there already.
 * A word that one list holds twice stays twice.
 *
 * @throws Raise what `joinStopWords` throws
 */
export function mergeGenerateCfg(base: PyDict | null, extra: PyDict | null): PyDict {
  const merged = new Map<string, PyValue>(base ?? [])
  for (const [key, value] of extra ?? []) {
    if (key !== 'stop') {
      merged.set(key, value)
      continue
    }
    merged.set('stop', joinStopWords(stopIn(merged), value))
  }
  return merged
}

/**
 * The words of the first list, then those of the second that are not among them.
 *
 * @throws Raise `TypeError` where the first is no list, or the second nothing that Python iterates
 */
export function joinStopWords(before: PyValue, more: PyValue): PyList {
  const words = iterated(more)
  if (!isList(before)) throw new Raise('TypeError', 'can only concatenate list to list')
  return [...before, ...words.filter((word) => !before.includes(word))]
}

/** The value of `stop`; an empty list if the key is absent. */
export function stopIn(cfg: PyDict): PyValue {
  return cfg.has('stop') ? (cfg.get('stop') ?? null) : []
}

/**
 * The stop words in effect; none when the key is absent.
 *
 * @throws Raise `TypeError` for what Python does not iterate, and for words that are no texts
 */
export function stopWordsOf(cfg: PyDict): readonly string[] {
  return iterated(stopIn(cfg)).map((word) => {
    if (typeof word !== 'string') throw new Raise('TypeError', 'must be str')
    return word
  })
}

/** As in the reference: a text where a list is meant is a list of its characters, and a map one of its keys. */
function iterated(value: PyValue): PyList {
  if (typeof value === 'string') return [...value]
  if (isList(value)) return value
  if (isDict(value)) return [...value.keys()]
  throw new Raise('TypeError', 'object is not iterable')
}
