import { isDict, loads, str } from '@callspec/core'
import type { PyDict, PyValue } from '@callspec/core'
import type { DecodedOutput } from './check-output.ts'

/**
 * A Hermes output as BFCL's handler decodes it, which is stricter than the format: the tags alone on their lines, the call on
 * the one line between, and every single quote of it made a double one. With `asText` (Java, JavaScript) arguments become
 * text as Python's `str` writes them.
 *
 * Its published verdicts can only be reproduced with its own decoder; nothing else here uses it.
 */
export function decodeHermes(output: string, { asText }: { readonly asText: boolean }): DecodedOutput {
  const calls: PyValue[] = []
  let isOpen = false
  for (const line of output.split('\n')) {
    if (line === '<tool_call>') isOpen = true
    else if (line === '</tool_call>') isOpen = false
    else {
      if (isOpen) {
        const call = callOf(line, asText)
        if (call === null) return { kind: 'failed' }
        calls.push(call)
      }
      isOpen = false
    }
  }
  return { kind: 'decoded', value: calls }
}

function callOf(line: string, asText: boolean): PyDict | null {
  const read = loads(line.replaceAll("'", '"'))
  if (read.kind === 'raised' || !isDict(read.value)) return null
  const name = read.value.get('name')
  const args = read.value.get('arguments')
  if (typeof name !== 'string' || args === undefined) return null
  if (!asText) return new Map([[name, args]])
  if (!isDict(args)) return null
  return new Map([[name, new Map([...args].map(([key, value]) => [key, textOf(value)]))]])
}

/** Python's `str`. It fails on nothing that JSON can hold. */
function textOf(value: PyValue): string {
  const text = str(value)
  return text.kind === 'returned' ? text.value : ''
}
