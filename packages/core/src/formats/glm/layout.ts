import { dumps } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

/** Where the two templates put line feeds, and what else they do differently. */
export interface Layout {
  /** Between tags, behind names and heads of turns: a line feed or nothing. */
  readonly feed: '' | '\n'
  /** What is written in place of a thought that is not shown, tags and texts in turn. */
  readonly noThought: readonly string[]
  /** Behind the head of the turn that is to be written, with and without thinking: tags and texts in turn. */
  readonly opening: { readonly thinking: readonly string[]; readonly silent: readonly string[] }
  /** Behind questions where thinking is off. */
  readonly silence: string
  /** Whether arguments may be missing in history. */
  readonly needsArguments: boolean
  /** Whether `clear_thinking` can keep the thoughts of old turns. */
  readonly keepsThoughts: boolean
}

/** GLM-4.5 and 4.6. */
export const LAYOUT_45: Layout = {
  feed: '\n',
  noThought: ['<think>', '', '</think>'],
  opening: { thinking: [], silent: ['', '\n', '<think>', '', '</think>'] },
  silence: '/nothink',
  needsArguments: false,
  keepsThoughts: false,
}

/** GLM-4.7 and 4.7-Flash. */
export const LAYOUT_47: Layout = {
  feed: '',
  noThought: ['</think>'],
  opening: { thinking: ['<think>'], silent: ['</think>'] },
  silence: '',
  needsArguments: true,
  keepsThoughts: true,
}

/** What stands between the tags of `<tool_call>`. Nothing is escaped. */
export function callText({ feed }: Layout, name: string, given: PyDict): string {
  const values = [...given].map(
    ([key, value]) => `<arg_key>${key}</arg_key>${feed}<arg_value>${valueText(value)}</arg_value>${feed}`,
  )
  return name + feed + values.join('')
}

/** A text as it is, everything else as JSON. */
function valueText(value: PyValue): string {
  return typeof value === 'string' ? value : dumps(value)
}
