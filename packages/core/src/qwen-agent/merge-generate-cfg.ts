import { isList } from '../python/value.ts'
import type { PyDict, PyValue } from '../python/value.ts'

/**
 * The parameters of one call: those of the model, overlaid with those of the call (spec §8.2, `merge_generate_cfgs`).
 *
 * Keys are overwritten whole, except `stop`: its new words come after the old ones unless they are there already.
 * A word that one list holds twice stays twice.
 */
export function mergeGenerateCfg(base: PyDict | null, extra: PyDict | null): PyDict {
  const merged = new Map<string, PyValue>(base ?? [])
  for (const [key, value] of extra ?? []) {
    if (key !== 'stop') {
      merged.set(key, value)
      continue
    }
    const before = wordsOf(merged.get('stop') ?? [])
    merged.set('stop', [...before, ...wordsOf(value).filter((word) => !before.includes(word))])
  }
  return merged
}

/** The stop words in effect; none when the key is absent. */
export function stopWordsOf(cfg: PyDict): readonly string[] {
  return wordsOf(cfg.get('stop') ?? []).filter((word) => typeof word === 'string')
}

/** As in the reference: a text where a list is meant is a list of its characters, because Python iterates it. */
function wordsOf(value: PyValue): readonly PyValue[] {
  if (typeof value === 'string') return [...value]
  return isList(value) ? value : []
}
