import type { WriteCall } from '../../format/write-items.ts'
import { str } from '@callspec/python'
import type { PyDict } from '@callspec/python'

/** What stands between the tags of `<seed:tool_call>`: a text as it is, everything else as Python's `str` prints it. */
export function callText(name: string, given: PyDict): string {
  const parameters = [...given].map(([key, value]) => `<parameter=${key}>${str(value)}</parameter>\n`)
  return `\n<function=${name}>\n${parameters.join('')}</function>\n`
}

/** A call as the model writes it. */
export const writeCall: WriteCall = ({ name }, given) => `<seed:tool_call>${callText(name, given)}</seed:tool_call>`
