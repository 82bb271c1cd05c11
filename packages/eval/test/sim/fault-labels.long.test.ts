import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TURN_LABELS } from '@callspec/labels'
import { readModelName } from '@callspec/sim'
import type { ModelSpec, Reference } from '@callspec/sim'
import {
  callText,
  FAULTS,
  injectFirst,
  labelsOf,
  loadReferences,
  speakerOf,
  WHOLE,
} from '../../../sim/test/helpers/parts.ts'
import type { Fault, FaultyReply, Part, Said } from '../../../sim/test/helpers/parts.ts'
import { evalFormat } from '../../src/formats/table.ts'
import { FORMAT_NAMES } from '../../src/trace/format-names.ts'
import type { FormatName } from '../../src/trace/format-names.ts'
import type { TurnQuestion } from '../../src/trace/trace.ts'
import { labelTurn } from '../../src/score/label-turn.ts'
import type { TurnScore } from '../../src/score/scores.ts'
import { offeredTools } from '../../src/trace/task.ts'
import type { ToolSpec } from '../../src/trace/task.ts'
import { suite } from '../helpers/play.ts'

const references = loadReferences()

function specNamed(name: string): ModelSpec {
  const read = readModelName(name)
  if (read.kind !== 'model') throw new Error(read.message)
  return read.spec
}

function toolsOf(id: string): readonly ToolSpec[] {
  return suite.tasks.filter((task) => task.id === id).flatMap((task) => offeredTools(suite, task))
}

/** What the runner notes of a request that a simulated model reads as `part`. */
function questionOf(part: Part, tool: string): TurnQuestion | null {
  if (part.kind === 'state') return part
  return part.kind === 'arguments' ? { kind: 'arguments', tool } : null
}

interface Spoken {
  readonly protocol: FormatName
  readonly said: Said & Partial<FaultyReply>
  readonly question: TurnQuestion | null
  readonly task: string
}

function labelled({ protocol, said, question, task }: Spoken): TurnScore {
  const thought = said.thought === null ? '' : `<think>\n${said.thought}\n</think>\n`
  return labelTurn({
    format: evalFormat(protocol),
    text: `${thought}${said.text}`,
    toolCalls: said.calls.map((call, index) => ({ id: `c${index}`, ...call })),
    reasoning: null,
    finishReason: said.finishReason ?? 'stop',
    failed: false,
    question,
    tools: toolsOf(task),
  })
}

/** The reply that a fault affects in a task, with what it must be labelled as; null where it changes nothing. */
function affected(
  fault: Fault,
  {
    protocol,
    reference,
    seed,
  }: { readonly protocol: FormatName; readonly reference: Reference; readonly seed: number },
): { readonly text: string; readonly expected: string; readonly measured: string } | null {
  const spec = specNamed(`sim/oracle?fault=${fault.id}:1&scope=episode&seed=${seed}`)
  const injected = injectFirst({ fault, spec, format: protocol, reference, sample: 0 })
  const expect = fault.expect[protocol]
  if (injected === null || expect === undefined) return null
  const { reply } = injected
  const tool = reference.plan[0]?.[0]?.name ?? ''
  const part: Part = speakerOf(protocol).asksInParts
    ? fault.affects === 'answers'
      ? { kind: 'answer' }
      : expect.part === 'state'
        ? { kind: 'state', states: reference.tools }
        : { kind: 'arguments' }
    : WHOLE
  const score = labelled({ protocol, said: reply, question: questionOf(part, tool), task: reference.task })
  const wanted = labelsOf(expect, { variant: reply.variant, isCut: false, isApart: false })
  return {
    text: reply.text,
    expected: `${wanted.strict} ${wanted.lenient}`,
    measured: `${score.strict} ${score.lenient}`,
  }
}

describe('the labels of the fault catalogue', () => {
  const cases = [...FAULTS.values()].flatMap((fault) =>
    FORMAT_NAMES.flatMap((protocol) =>
      fault.expect[protocol] === undefined ? [] : [{ fault, protocol, id: fault.id }],
    ),
  )

  it('has forty faults and seven of the choice of a number', () => {
    expect([...FAULTS.keys()]).toEqual(
      Array.from({ length: 47 }, (_, index) => `F${String(index + 1).padStart(2, '0')}`),
    )
  })

  it.each(cases)(
    '$id in $protocol gets its constants on every task, whatever its parameters',
    ({ fault, protocol }) => {
      const all = [1, 2, 3, 4].flatMap((seed) =>
        references.map((reference) => affected(fault, { protocol, reference, seed })),
      )
      const measured = all.filter((one) => one !== null)

      expect(measured.length).toBeGreaterThan(0)
      expect(measured.filter((one) => one.measured !== one.expected).slice(0, 3)).toEqual([])
    },
  )

  it.each(FORMAT_NAMES)('are well_formed and final_answer for every correct reply in %s', (protocol) => {
    const { width, calls: say, final, asksInParts } = speakerOf(protocol)
    const wrong = references.flatMap((reference) => {
      const turns = width === 'one' ? reference.plan.flat().map((call) => [call]) : reference.plan
      const parts: readonly Part[] = asksInParts
        ? [{ kind: 'state', states: reference.tools }, { kind: 'arguments' }]
        : [WHOLE]
      const task = reference.task
      const calls = turns.flatMap((turn) =>
        parts.map((part) =>
          labelled({
            protocol,
            task,
            said: say(turn.map(callText), part),
            question: questionOf(part, turn[0]?.name ?? ''),
          }),
        ),
      )
      const answer = labelled({ protocol, task, said: final(reference.final, WHOLE), question: null })
      return [
        ...calls.filter((score) => score.strict !== 'well_formed' || score.lenient !== 'well_formed'),
        ...(answer.strict === 'final_answer' ? [] : [answer]),
      ]
    })

    expect(wrong).toEqual([])
  })

  it('hold for any fault, task, format and seed', () => {
    const possible = cases.map(({ fault, protocol }) => ({ fault, protocol }))

    fc.assert(
      fc.property(
        fc.constantFrom(...possible),
        fc.constantFrom(...references),
        fc.nat(),
        ({ fault, protocol }, reference, seed) => {
          const one = affected(fault, { protocol, reference, seed })

          expect(one?.measured).toBe(one?.expected)
          if (one !== null) expect(TURN_LABELS).toContain(one.measured.split(' ')[0])
        },
      ),
      { numRuns: 300 },
    )
  })
})
