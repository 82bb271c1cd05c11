import { PROTOCOLS } from '../protocol.ts'
import type { Protocol } from '../protocol.ts'
import { argumentIssues } from '../world/argument-issues.ts'
import type { ArgumentReason } from '../world/argument-issues.ts'
import type { Reading, Repair } from './call-block.ts'
import type { TurnInput } from './label-turn.ts'
import { inventsResult, leaksMarker, withoutKeptStopWord, withoutLeaks } from './markers.ts'
import { readLenient, readStrict, strictBlocks } from './read-calls.ts'
import { splitThought } from './thought.ts'

/** Everything the rules ask about a completion, read once. */
export interface TurnView {
  readonly input: TurnInput
  readonly thought: string
  /** The text outside the thinking, without a bare stop word at its end. */
  readonly visible: string
  readonly reading: Reading
  readonly callInThought: boolean
  readonly inventsResult: boolean
  /** Never under the lenient policy: there the marks are cut out first. */
  readonly leaksMarker: boolean
  readonly speaksAnotherProtocol: boolean
  readonly isUnclosed: boolean
  readonly keptStopWord: boolean
  readonly salvageable: boolean
}

/** Reads a completion once and shows it under both policies. */
export function viewTurn(input: TurnInput): { readonly strict: TurnView; readonly lenient: TurnView } {
  const { protocol } = input
  const { thought, visible: said, isUnclosed } = splitThought(input.text)
  const visible = withoutKeptStopWord(protocol, said)
  const thoughts = `${input.reasoning ?? ''}${thought}`
  const leaks = leaksMarker(protocol, visible)
  const invents = inventsResult(protocol, visible)
  const reading = readStrict(protocol, visible)
  const inThought = readLenient(protocol, thoughts)
  const strict: TurnView = {
    input,
    thought: thoughts,
    visible,
    reading,
    callInThought: !reading.intent && inThought.intent,
    inventsResult: invents,
    leaksMarker: leaks,
    speaksAnotherProtocol: speaksAnother(protocol, visible),
    isUnclosed,
    keptStopWord: visible !== said,
    salvageable: good(inThought) || (invents && good(reading)),
  }
  if (isGood(reading, leaks)) return { strict, lenient: strict }
  const repaired = cleaned(input, visible, leaks)
  const salvageable = good(inThought) || (invents && good(repaired))
  const callInThought = !repaired.intent && inThought.intent
  return { strict, lenient: { ...strict, reading: repaired, leaksMarker: false, callInThought, salvageable } }
}

function speaksAnother(protocol: Protocol, text: string): boolean {
  if (strictBlocks(protocol, text).length > 0) return false
  return PROTOCOLS.some((other) => other !== protocol && speaks(other, text))
}

/** The first thing wrong with the arguments of each call. */
export function argumentReasons(view: TurnView): readonly ArgumentReason[] {
  const { tools } = view.input
  if (tools === null) return []
  return (view.reading.calls ?? []).flatMap((call) => {
    const schema = tools.find((tool) => tool.name === call.name)?.parameters
    return schema === undefined
      ? []
      : argumentIssues(call.args, schema)
          .slice(0, 1)
          .map((issue) => issue.reason)
  })
}

/** Whether strict reading needs no help: a call that is read, or a text without any. Double encoding is helped too. */
function isGood(strict: Reading, leaks: boolean): boolean {
  return !leaks && good(strict) && strict.calls?.every((call) => typeof call.args !== 'string') === true
}

function good(reading: Reading): boolean {
  return reading.calls !== null && reading.calls.length > 0
}

function cleaned(input: TurnInput, visible: string, leaks: boolean): Reading {
  if (!leaks) return readLenient(input.protocol, visible)
  const reading = readLenient(input.protocol, withoutLeaks(input.protocol, visible))
  const cut: readonly Repair[] = ['marker-cut']
  return { ...reading, repairs: [...cut, ...reading.repairs] }
}

function speaks(protocol: Protocol, text: string): boolean {
  return good(readStrict(protocol, protocol === 'react' ? `\n${text}` : text))
}
