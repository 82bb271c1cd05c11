import type { WriteCall } from '../../format/write-items.ts'
import { argumentsInBody } from '../../grammar/json.ts'
import { dumps } from '@callspec/python'

/** A call of v3 as an element of its list. */
export const writeV3Call: WriteCall = ({ id, name, arguments: text }) => {
  const end = id === null ? '' : `, "id": ${dumps(id)}`
  return `{"name": ${dumps(name)}, "arguments": ${argumentsInBody(text)}${end}}`
}
