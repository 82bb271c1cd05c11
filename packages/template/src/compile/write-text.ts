import { Raise } from '@callspec/python'
import { write } from '../runtime/run.ts'
import { typeName } from '../values/type-name.ts'
import type { Value } from '../values/value.ts'
import { textOf } from '../values/value.ts'
import type { Frame } from './scope.ts'

/**
 * Writes what a filter or call block gives to the page itself. It must be text, because it is joined, not printed; Python
 * joins only when the page or body is over, so that what raises before comes first.
 */
export function writeText({ run }: Frame, value: Value): void {
  const text = textOf(value)
  if (text !== null) write(run, text)
  else run.broken ??= new Raise('TypeError', `sequence item: expected str instance, ${typeName(value)} found`)
}
