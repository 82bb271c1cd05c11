import { isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

/** The documentation of a function, as BFCL's question files hold it. */
export interface FunctionDoc {
  readonly name: string
  readonly required: readonly string[]
  /** The documented type of each parameter, and that of its elements. */
  readonly parameters: ReadonlyMap<string, { readonly type: string; readonly items: string | null }>
}

/** Reads one documentation, or a list of them. What has no name is left out; never throws. */
export function readFunctionDocs(value: PyValue): readonly FunctionDoc[] {
  return (isList(value) ? value : [value]).flatMap((entry) => {
    const name = isDict(entry) ? entry.get('name') : undefined
    if (!isDict(entry) || typeof name !== 'string') return []
    const parameters = dictAt(entry, 'parameters')
    const required = parameters.get('required') ?? []
    return [
      {
        name,
        required: isList(required) ? required.filter((item) => typeof item === 'string') : [],
        parameters: new Map([...dictAt(parameters, 'properties')].map(([key, doc]) => [key, typeOf(doc)])),
      },
    ]
  })
}

function typeOf(doc: PyValue): { readonly type: string; readonly items: string | null } {
  if (!isDict(doc)) return { type: '', items: null }
  const type = doc.get('type')
  const items = dictAt(doc, 'items').get('type')
  return { type: typeof type === 'string' ? type : '', items: typeof items === 'string' ? items : null }
}

function dictAt(value: PyDict, key: string): PyDict {
  const member = value.get(key)
  return isDict(member) ? member : new Map<string, PyValue>()
}
