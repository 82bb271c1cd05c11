import { InputError } from '@callspec/core'
import { isDict, toPlain } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

import { readJson } from '../case-file.ts'
import type { Reply } from '../implementation.ts'
import { shortened } from '../shortened.ts'
import { isCoarse } from './coarse-operation.ts'
import type { Declaration } from './declaration.ts'
import { outputViolation, violationOf } from './schemas.ts'

/** A line of an implementation that is no message of the protocol; the text says what it is instead. */
export class ProtocolError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ProtocolError'
  }
}

/** The answer to one question. */
export interface Answer {
  readonly seq: number
  readonly reply: Reply
}

/**
 * Reads one line as a JSON map.
 *
 * @throws ProtocolError that quotes the line
 */
export function readMessage(line: string): PyDict {
  try {
    const value = readJson(line, 'line')
    if (isDict(value)) return value
  } catch (error) {
    if (!(error instanceof InputError)) throw error
  }
  throw new ProtocolError(`wrote to stdout what is no message: ${quote(line)}. Only answers belong there.`)
}

/**
 * Reads the answer to `start`.
 *
 * @throws ProtocolError for another version of the protocol, and for what the schema does not allow
 */
export function readDeclaration(message: PyDict): Declaration {
  const plain = toPlain(message)
  const protocol = message.get('protocol')
  if (protocol !== undefined && protocol !== 1n) {
    throw new ProtocolError(`speaks protocol ${quote(String(protocol))}; this callspec speaks protocol 1`)
  }
  const violation = violationOf('declaration', plain)
  if (violation !== null) throw new ProtocolError(`answered start with something else than a declaration: ${violation}`)
  return plain as Declaration
}

const ANSWER_KINDS = ['output', 'rejected', 'skipped', 'errored']

/**
 * Reads the answer to a question, without looking into its output.
 *
 * @throws ProtocolError for what the schema does not allow
 */
export function readAnswer(message: PyDict): Answer {
  const kinds = ANSWER_KINDS.filter((kind) => message.has(kind))
  if (kinds.length !== 1) {
    const found = kinds.length === 0 ? 'none' : kinds.join(' and ')
    throw new ProtocolError(`gave an answer with ${found} of ${ANSWER_KINDS.join(', ')}; exactly one is needed`)
  }
  const violation = violationOf('answer', shallow(message))
  if (violation !== null) throw new ProtocolError(`gave an answer that is none: ${violation}`)
  return { seq: Number(message.get('seq')), reply: replyOf(message) }
}

/** What is wrong with an output in the terms of its schema; null when nothing is, or the operation has no schema. */
export function outputProblem(op: string, output: PyValue): string | null {
  if (op !== 'step' && !isCoarse(op)) return null
  try {
    const violation = outputViolation(op, toPlain(output))
    return violation === null ? null : `gave an output that is not one of "${op}": ${violation}`
  } catch (error) {
    // The copy and the validator recurse.
    if (error instanceof RangeError) return 'gave an output that is nested too deeply'
    throw error
  }
}

function replyOf(message: PyDict): Reply {
  const output = message.get('output')
  if (output !== undefined) return { kind: 'returned', value: output }
  const rejected = message.get('rejected')
  if (isDict(rejected)) {
    const { type, message: text } = Object.fromEntries(rejected)
    return { kind: 'raised', error: { type: textOr(type, 'rejected'), message: textOr(text, '') } }
  }
  const skipped = message.get('skipped')
  if (skipped !== undefined) return { kind: 'skipped', reason: String(skipped) }
  return { kind: 'errored', reason: `says that it broke: ${quote(String(message.get('errored')), 300)}` }
}

/** The answer without what is inside of its output, which may be large. */
function shallow(message: PyDict): unknown {
  return toPlain(
    new Map([...message].map(([key, value]) => [key, key === 'output' && isDict(value) ? NOTHING : value])),
  )
}

const NOTHING: PyDict = new Map()

function textOr(value: PyValue | undefined, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise
}

/** Cut to `limit` characters; control characters are made visible by whoever prints it. */
function quote(text: string, limit = 60): string {
  return `"${shortened(text, limit)}"`
}
