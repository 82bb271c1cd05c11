import { isDict, isList, toPlain } from '@callspec/core'
import type { PyDict, PyValue } from '@callspec/core'
import type { Protocol } from '../protocol.ts'
import { NO_CALL } from './call-block.ts'
import type { CallBlock, Problem, ReadCall, Reading, Repair } from './call-block.ts'
import { readLenientJson, readStrictJson } from './lenient-json.ts'
import { bareBlock, nousBlocks } from './nous-blocks.ts'
import { qwenBlocks } from './qwen-blocks.ts'
import { looseReactBlocks, namesAction, reactBlocks } from './react-blocks.ts'

/** The calls of a text exactly as the protocol prescribes them: markers in place, standard JSON. */
export function readStrict(protocol: Protocol, text: string): Reading {
  const blocks = strictBlocks(protocol, text)
  if (blocks.length === 0) return withoutBlocks(protocol, text)
  const calls: ReadCall[] = []
  for (const block of blocks) {
    const call = strictCall(block)
    if (typeof call === 'string') return { intent: true, calls: null, repairs: [], problem: call }
    calls.push(call)
  }
  return { intent: true, calls, repairs: [], problem: null }
}

/** The calls of a text under the named repairs of `REPAIRS`. */
export function readLenient(protocol: Protocol, text: string): Reading {
  const blocks = lenientBlocks(protocol, text)
  if (blocks.length === 0) return withoutBlocks(protocol, text)
  const calls: ReadCall[] = []
  const repairs = new Set<Repair>()
  for (const block of blocks) {
    const read = lenientCalls(block)
    if (typeof read === 'string') return { intent: true, calls: null, repairs: [], problem: read }
    calls.push(...read.calls)
    for (const repair of [...block.repairs, ...read.repairs]) repairs.add(repair)
  }
  return { intent: true, calls, repairs: [...repairs], problem: null }
}

/** Where the calls of a text stand, as strict reading sees them. */
export function strictBlocks(protocol: Protocol, text: string): readonly CallBlock[] {
  if (protocol === 'fncall-nous') return nousBlocks(text)
  return protocol === 'fncall-qwen' ? qwenBlocks(text) : reactBlocks(text)
}

function lenientBlocks(protocol: Protocol, text: string): readonly CallBlock[] {
  const blocks = strictBlocks(protocol, text)
  if (blocks.length > 0) return blocks
  if (protocol === 'react') return looseReactBlocks(text)
  const bare = bareBlock(text)
  return bare === null ? [] : [bare]
}

/** A call may be meant although no block was found: then it is malformed, not an abstention. */
function withoutBlocks(protocol: Protocol, text: string): Reading {
  if (!meansCall(protocol, text)) return NO_CALL
  return {
    intent: true,
    calls: null,
    repairs: [],
    problem: protocol === 'react' ? 'markers malformed' : 'no tags round the call',
  }
}

/** The rule that keeps a broken call from passing for an abstention: any beginning of the protocol's marker counts. */
function meansCall(protocol: Protocol, text: string): boolean {
  if (protocol === 'react') return namesAction(text)
  const marker = protocol === 'fncall-nous' ? /<tool_call[\s>]/i : /✿(?:FUNCTION|ARGS)/
  return marker.test(text) || bareBlock(text) !== null
}

function strictCall(block: CallBlock): ReadCall | Problem {
  if (block.repairs.length > 0) return structureProblem(block)
  const value = readStrictJson(block.json)
  if (value === undefined) return 'not JSON'
  if (block.name === null) return wrappedCall(value)
  return argumentsOf(block.name, value)
}

function structureProblem(block: CallBlock): Problem {
  if (block.repairs.includes('close-tag')) return 'tag not closed'
  return block.repairs.includes('empty-arguments') ? 'no arguments' : 'markers malformed'
}

function wrappedCall(value: PyValue): ReadCall | Problem {
  if (!isDict(value)) return 'no name'
  const name = value.get('name')
  const args = value.get('arguments')
  if (name === undefined) return 'no name'
  if (typeof name !== 'string') return 'name is no text'
  return args === undefined ? 'no arguments' : argumentsOf(name, args)
}

/** A text is kept: it may be an object that was encoded twice, which has a label of its own. */
function argumentsOf(name: string, args: PyValue): ReadCall | Problem {
  if (name === '') return 'no name'
  if (!isDict(args) && typeof args !== 'string') return 'arguments are no object'
  return { name, args: toPlain(args) }
}

interface LenientCalls {
  readonly calls: readonly ReadCall[]
  readonly repairs: readonly Repair[]
}

function lenientCalls(block: CallBlock): LenientCalls | Problem {
  if (block.json === '' && block.name !== null) {
    return { calls: [{ name: block.name, args: {} }], repairs: ['empty-arguments'] }
  }
  const read = readLenientJson(block.json)
  if (read === null) return block.repairs.includes('close-tag') ? 'tag not closed' : 'not JSON'
  const isList = block.name === null && Array.isArray(read.value) && read.value.length > 0
  const values = isList ? (read.value as readonly PyValue[]) : [read.value]
  const repairs: Repair[] = [...read.repairs, ...(isList ? (['call-list'] as const) : [])]
  const calls: ReadCall[] = []
  for (const value of values) {
    const loose = block.name === null ? looseWrappedCall(value) : { call: argumentsOf(block.name, value), repairs: [] }
    if (typeof loose.call === 'string') return loose.call
    const decoded = decodeTwice(loose.call)
    calls.push(decoded ?? loose.call)
    repairs.push(...loose.repairs, ...(decoded === null ? [] : (['double-encoding'] as const)))
  }
  return { calls, repairs }
}

const ALIASES = ['parameters', 'input', 'args'] as const

function looseWrappedCall(value: PyValue): { readonly call: ReadCall | Problem; readonly repairs: readonly Repair[] } {
  if (!isDict(value)) return { call: isList(value) ? 'arguments are no object' : 'no name', repairs: [] }
  const name = value.get('name')
  if (typeof name !== 'string' || value.has('arguments')) return { call: wrappedCall(value), repairs: [] }
  const alias = ALIASES.find((key) => isDict(value.get(key) ?? null))
  if (alias !== undefined) return { call: argumentsOf(name, value.get(alias) ?? null), repairs: ['arguments-alias'] }
  const flat: PyDict = new Map([...value].filter(([key]) => key !== 'name'))
  return flat.size === 0
    ? { call: 'no arguments', repairs: [] }
    : { call: argumentsOf(name, flat), repairs: ['flat-arguments'] }
}

/** The call with arguments that were a text holding an object; null when they were not. */
function decodeTwice(call: ReadCall): ReadCall | null {
  if (typeof call.args !== 'string') return null
  const value = readStrictJson(call.args)
  return value !== undefined && isDict(value) ? { name: call.name, args: toPlain(value) } : null
}
