import { formatNamed } from '@callspec/core'
import { isDict, isList } from '@callspec/python'
import type { PyValue } from '@callspec/python'

import type { Case } from '../case.ts'
import { CUT_NAMES, cutText } from './cut-text.ts'
import type { CutName } from './cut-text.ts'

/** Which cuts are run, and which of them a user of the implementation can meet. */
export interface CutPlan {
  readonly cuts: readonly CutName[]
  /** As it declares them, `groups` for all five; absent where it does not say: then all count. */
  readonly met?: readonly string[]
}

/** The texts of cases of `parse` and `stream` as streams that are cut at tokens. A text that comes twice is cut once; other cases are left out. */
export async function* cutCases(cases: AsyncIterable<Case>, { cuts, met }: CutPlan): AsyncGenerator<Case> {
  const seen = new Set<string>()
  for await (const item of cases) {
    for (const name of cuts) {
      const cut = cutCase(item, name)
      if (cut === null) continue
      const key = JSON.stringify([item.format, item.profile, name, textOf(item)])
      if (seen.has(key)) continue
      seen.add(key)
      yield met === undefined || met.includes(familyOf(name)) ? cut : { ...cut, isSynthetic: true }
    }
  }
}

/** A case whose text arrives in these pieces; null where it has no text that a stream could bring. */
export function cutCase(item: Case, name: CutName): Case | null {
  const text = textOf(item)
  if (text === null) return null
  const chunks = cutText(text, name, { markers: markersOf(item.format), ...(item.plain ? { plain: item.plain } : {}) })
  const { plain: _places, ...rest } = item
  const input = new Map([...item.input].filter(([key]) => key !== 'text')).set('chunks', [...chunks])
  return {
    ...rest,
    op: 'stream',
    id: `${item.id} ~${name}`,
    input,
    expected: streamed(item),
    cutFrom: { id: item.id, cut: name },
  }
}

/** The cut that the id of a case says, and the id without it; null for any other id. */
export function cutInId(id: string): { readonly id: string; readonly cut: CutName } | null {
  const at = id.lastIndexOf(' ~')
  const cut = CUT_NAMES.find((name) => name === id.slice(at + 2))
  return at < 0 || cut === undefined ? null : { id: id.slice(0, at), cut }
}

/** `groups` for each of the five. */
export function familyOf(name: CutName): string {
  return name.replace(/-\d$/, '')
}

function textOf({ op, input }: Case): string | null {
  const [text, chunks] = [input.get('text'), input.get('chunks')]
  if (op === 'parse') return typeof text === 'string' ? text : null
  const isWhole = op === 'stream' && isList(chunks) && chunks.every((chunk) => typeof chunk === 'string')
  return isWhole ? chunks.join('') : null
}

/** What is right at the end. After each piece nothing is asked: the pieces are others. */
function streamed({ op, expected }: Case): Case['expected'] {
  if (expected.kind !== 'returned' || !isDict(expected.value)) return expected
  if (op === 'stream') {
    const final = expected.value.get('final')
    return final === undefined ? expected : { kind: 'returned', value: new Map([['final', final]]) }
  }
  const all = expected.value.get('any_of')
  if (!isList(all)) return { kind: 'returned', value: new Map([['final', expected.value]]) }
  const value: PyValue = all.map((each) => (isDict(each) && each.has('error') ? each : new Map([['final', each]])))
  return { kind: 'returned', value: new Map([['any_of', value]]) }
}

function markersOf(format: string | undefined): readonly string[] {
  const known = format === undefined ? null : formatNamed(format)
  if (known === null) return []
  const { callStart, callInner, callEnd, thought, head } = known.markers
  const pairs = [thought, head].flatMap((pair) => (pair === null || pair === undefined ? [] : [pair.open, pair.close]))
  return [...callStart, ...callInner, ...callEnd, ...pairs]
}
