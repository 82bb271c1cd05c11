import type { PyDict, PyList, PyValue } from '@callspec/python'
import { isDict, isList } from '@callspec/python'

/** The reading that a list of deltas adds up to. A call has the first id that is sent under its index, and the last note. */
export function foldDeltas(deltas: PyList): PyDict {
  let [content, reasoning] = ['', '']
  const calls = new Map<number, FoldedCall>()
  for (const each of deltas) {
    const delta = isDict(each) ? each.get('delta') : null
    if (!isDict(delta)) continue
    content += textMember(delta.get('content'))
    reasoning += textMember(delta.get('reasoning'))
    for (const part of listMember(delta.get('calls')).filter(isDict)) {
      const index = Number(part.get('index'))
      const call = calls.get(index) ?? { id: '', name: '', text: '', note: null }
      calls.set(index, {
        id: call.id === '' ? textMember(part.get('id')) : call.id,
        name: call.name + textMember(part.get('name')),
        text: call.text + textMember(part.get('arguments')),
        note: part.get('note') ?? call.note,
      })
    }
  }
  const ordered = [...calls].sort(([left], [right]) => left - right).map(([, call]) => call)
  return new Map<string, PyValue>([
    ['content', content],
    ['reasoning', reasoning],
    ['calls', ordered.map(foldedCall)],
  ])
}

interface FoldedCall {
  readonly id: string
  readonly name: string
  readonly text: string
  readonly note: PyValue
}

function foldedCall({ id, name, text, note }: FoldedCall): PyDict {
  return new Map<string, PyValue>([
    ...(id === '' ? [] : [['id', id] as const]),
    ['name', name],
    ['arguments', text],
    ...(note === null ? [] : [['note', note] as const]),
  ])
}

/** A member that is text; the empty text where it is something else. */
export function textMember(value: PyValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** A member that is a list; an empty one where it is something else. */
export function listMember(value: PyValue | undefined): PyList {
  return isList(value) ? value : []
}
