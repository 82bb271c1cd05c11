import { InputError, isDict } from '@callspec/core'
import type { PyDict, ToolChoice } from '@callspec/core'
import { anything } from './read.ts'

/**
 * Which tool the model may call, as a case says it.
 *
 * @throws InputError for anything but `auto`, `none` and `{"name": …}`
 */
export function toolChoice(input: PyDict): ToolChoice {
  const value = anything(input, 'tool_choice')
  if (value === null || value === 'auto' || value === 'none') return value ?? 'auto'
  const name = isDict(value) ? value.get('name') : null
  if (typeof name === 'string') return { name }
  throw new InputError('input.tool_choice', 'must be "auto", "none" or {"name": …}.')
}
