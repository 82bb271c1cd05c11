import { dumps, str, isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import type { WriteCall } from '../../format/write-items.ts'

/** What stands between the tags of `<tool_call>`. */
export function callText(name: string, given: PyDict): string {
  const parameters = [...given].map(([key, value]) => `<parameter=${key}>\n${valueText(value)}\n</parameter>\n`)
  return `\n<function=${name}>\n${parameters.join('')}</function>\n`
}

/** A call as the model writes it. */
export const writeCall: WriteCall = ({ name }, given) => `<tool_call>${callText(name, given)}</tool_call>`

/** Maps and lists as JSON, everything else as Python's `str`: `True`, `None`, `1.0`. */
function valueText(value: PyValue): string {
  return isDict(value) || isList(value) ? dumps(value) : str(value)
}
