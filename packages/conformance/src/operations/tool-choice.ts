import { InputError } from '@callspec/core'
import { isDict } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import type { ToolChoice } from '@callspec/core/qwen-agent'
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
