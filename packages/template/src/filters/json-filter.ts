import { Raise } from '@callspec/python'
import { intArgument, textArgument } from '../methods/arguments.ts'
import { make } from '../runtime/run.ts'
import { itemsOf } from '../values/iterate.ts'
import { jsonText } from '../values/json-text.ts'
import { define } from '../values/signature.ts'
import { truthy } from '../values/truth.ts'
import { typeName } from '../values/type-name.ts'
import type { PythonFunction, Run, Value } from '../values/value.ts'
import { textOf } from '../values/value.ts'

/** `tojson` of chat templates: `json.dumps` with its options, which escapes nothing for HTML, unlike Jinja's own. */
export const tojson: PythonFunction = define(
  'tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False)',
  (run, value, ensureAscii, indent, separators, sortKeys) => {
    const [itemSeparator, keySeparator] = separatorsOf(separators, indent !== null, run)
    const layout = { indent: indentOf(indent, run), itemSeparator, keySeparator }
    return jsonText(value, { ...layout, sortKeys: truthy(sortKeys), ensureAscii: truthy(ensureAscii) }, run)
  },
)

function indentOf(indent: Value, run: Run): string | null {
  if (indent === null) return null
  const text = textOf(indent)
  if (text !== null) return text
  const width = Math.max(0, intArgument(indent))
  make(run, width)
  return ' '.repeat(width)
}

function separatorsOf(separators: Value, isIndented: boolean, run: Run): readonly [string, string] {
  if (separators === null) return [isIndented ? ',' : ', ', ': ']
  const [item, key, ...rest] = itemsOf(separators, run)
  if (item === undefined || key === undefined || rest.length > 0) {
    throw new Raise('ValueError', `separators must be two texts, not ${typeName(separators)}`)
  }
  return [textArgument(item), textArgument(key)]
}
