import { balancedEnd, isDict, isList, toPlain } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { NO_CALL } from './call-block.ts'
import type { CallBlock, Problem, ReadCall, Reading, Repair } from './call-block.ts'
import { readLenientJson, readStrictJson } from './lenient-json.ts'

const NAME = /["'“]name["'”]\s*[:：]/
const ARGUMENTS = /["'“](?:arguments|parameters)["'”]\s*[:：]/

/** Brackets that are never closed and begin no call are passed over, but not for ever: each costs the rest of the text. */
const MOST_UNCLOSED = 8
/** An object that begins with its name is a call, closed or not. */
const HEAD = 40

/** Calls that stand in a reply without any tag: every object with a name and arguments. None where the text holds no such. */
export function bareBlocks(text: string): readonly CallBlock[] {
  if (!NAME.test(text) || !ARGUMENTS.test(text)) return []
  const blocks: CallBlock[] = []
  let unclosed = 0
  for (let start = nextBracket(text, 0); start >= 0 && unclosed < MOST_UNCLOSED;) {
    const closed = balancedEnd(text, start)
    const end = closed ?? text.length
    if (closed === null) unclosed += 1
    const isCall = closed === null ? beginsCall(text.slice(start, start + HEAD)) : isCallLike(text.slice(start, end))
    if (isCall) blocks.push({ name: null, json: text.slice(start, end), repairs: ['missing-tags'], start, end })
    start = nextBracket(text, isCall || closed !== null ? end : start + 1)
  }
  return blocks
}

function beginsCall(head: string): boolean {
  return NAME.test(head) || ARGUMENTS.test(head)
}

function isCallLike(json: string): boolean {
  return NAME.test(json) && ARGUMENTS.test(json)
}

function nextBracket(text: string, from: number): number {
  const pattern = /[{[]/g
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? -1
}

/** What the blocks of a text hold, without repairs. `problem` is asked when there is no block: null when no call is meant. */
export function readBlocksStrict(blocks: readonly CallBlock[], problem: () => Problem | null): Reading {
  if (blocks.length === 0) return withoutBlocks(problem())
  const calls: ReadCall[] = []
  for (const block of blocks) {
    const call = strictCall(block)
    if (typeof call === 'string') return unreadable(call)
    calls.push(call)
  }
  return { intent: true, calls, repairs: [], problem: null }
}

/** The same under the named repairs of `REPAIRS`. */
export function readBlocksLenient(blocks: readonly CallBlock[], problem: () => Problem | null): Reading {
  if (blocks.length === 0) return withoutBlocks(problem())
  const calls: ReadCall[] = []
  const repairs = new Set<Repair>()
  for (const block of blocks) {
    const read = lenientCalls(block)
    if (typeof read === 'string') return unreadable(read)
    calls.push(...read.calls)
    for (const repair of [...block.repairs, ...read.repairs]) repairs.add(repair)
  }
  return { intent: true, calls, repairs: [...repairs], problem: null }
}

/** A call may be meant although no block was found: then it is malformed, not an abstention. */
function withoutBlocks(problem: Problem | null): Reading {
  return problem === null ? NO_CALL : unreadable(problem)
}

function unreadable(problem: Problem): Reading {
  return { intent: true, calls: null, repairs: [], problem }
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
  return { name, args: toPlain(args), exact: args }
}

interface LenientCalls {
  readonly calls: readonly ReadCall[]
  readonly repairs: readonly Repair[]
}

function lenientCalls(block: CallBlock): LenientCalls | Problem {
  if (block.json === '' && block.name !== null) {
    return { calls: [{ name: block.name, args: {}, exact: new Map() }], repairs: ['empty-arguments'] }
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
  return value !== undefined && isDict(value) ? { name: call.name, args: toPlain(value), exact: value } : null
}
