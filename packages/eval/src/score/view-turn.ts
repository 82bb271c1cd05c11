import { PROTOCOLS } from '../protocol.ts'
import type { Dialect } from '../protocols/dialect.ts'
import { PROTOCOL_TABLE } from '../protocols/table.ts'
import { argumentIssues } from '../world/argument-issues.ts'
import { readBlocksLenient, readBlocksStrict } from './read-blocks.ts'
import type { ArgumentReason } from '../world/argument-issues.ts'
import type { Reading, Repair } from './call-block.ts'
import type { TurnInput } from './label-turn.ts'
import { leaksMarker, withoutKeptStopWord, withoutLeaks } from './markers.ts'
import { splitThought } from './thought.ts'

/** Everything the rules ask about a completion, read once. */
export interface TurnView {
  readonly input: TurnInput
  readonly dialect: Dialect
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
  const { dialect } = PROTOCOL_TABLE[input.protocol]
  const { question = null } = input
  const { thought, visible: said, isUnclosed } = splitThought(input.text)
  const visible = withoutKeptStopWord(dialect, said)
  const thoughts = `${input.reasoning ?? ''}${thought}`
  const leaks = leaksMarker(dialect, visible)
  const invents = dialect.inventsResult(visible, question)
  const beside = dialect.callBlocks?.(input.toolCalls ?? []) ?? []
  const reading = beside.length > 0 ? readBlocksStrict(beside, () => null) : dialect.readStrict(visible, question)
  const inThought = dialect.readLenient(thoughts, question)
  const strict: TurnView = {
    input,
    dialect,
    thought: thoughts,
    visible,
    reading,
    callInThought: !reading.intent && inThought.intent,
    inventsResult: invents,
    leaksMarker: leaks,
    speaksAnotherProtocol: beside.length === 0 && speaksAnother(dialect, visible),
    isUnclosed,
    keptStopWord: visible !== said,
    salvageable: good(inThought) || (invents && good(reading)),
  }
  if (isGood(reading, leaks)) return { strict, lenient: strict }
  const repaired = beside.length > 0 ? readBlocksLenient(beside, () => null) : cleaned(strict, leaks)
  const salvageable = good(inThought) || (invents && good(repaired))
  const callInThought = !repaired.intent && inThought.intent
  return { strict, lenient: { ...strict, reading: repaired, leaksMarker: false, callInThought, salvageable } }
}

function speaksAnother(own: Dialect, text: string): boolean {
  if (own.blocks(text).length > 0) return false
  return PROTOCOLS.map((protocol) => PROTOCOL_TABLE[protocol].dialect).some(
    (other) => other !== own && other.speaks(text),
  )
}

/** The first thing wrong with the arguments of each call. */
export function argumentReasons(view: TurnView): readonly ArgumentReason[] {
  const { tools } = view.input
  if (tools === null || view.input.question?.kind === 'state') return []
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

function cleaned({ dialect, visible, input: { question = null } }: TurnView, leaks: boolean): Reading {
  if (!leaks) return dialect.readLenient(visible, question)
  const reading = dialect.readLenient(withoutLeaks(dialect, visible), question)
  const cut: readonly Repair[] = ['marker-cut']
  return { ...reading, repairs: [...cut, ...reading.repairs] }
}
