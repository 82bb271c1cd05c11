import type { WriteCall } from '../../format/write-items.ts'
import { dumps } from '@callspec/python'
import type { PyDict } from '@callspec/python'

/** Around all the calls of a reply. */
export const SECTION = { open: '<minimax:tool_call>', close: '</minimax:tool_call>' } as const

/** A call between the tags of the wrapper, with its line feed: a text as it is, everything else as JSON. */
export function callText(name: string, given: PyDict): string {
  const parameters = [...given].map(([key, value]) => {
    const text = typeof value === 'string' ? value : dumps(value)
    return `<parameter name="${key}">${text}</parameter>\n`
  })
  return `<invoke name="${name}">\n${parameters.join('')}</invoke>\n`
}

/** A call as the model writes it. */
export const writeCall: WriteCall = ({ name }, given) => callText(name, given)
