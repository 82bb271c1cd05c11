import { describe, expect, it } from 'vitest'
import { evalFormat } from '../../src/formats/table.ts'
import { episodeCause } from '../../src/judging/episode-causes.ts'
import type { FailedEpisode } from '../../src/judging/attribution.ts'
import { renderedPrompts } from '../../src/judging/transport-causes.ts'
import type { Attribution } from '../../src/score/scores.ts'
import { scored } from '../helpers/scored.ts'
import { endLine, turnLine } from '../helpers/trace.ts'

const KEY = { model: 'm', protocol: 'react' as const, task: 'S01', sample: 0 }
const made = { name: 'a', args: {}, result: 'no' }

/** Who caused the fault of each turn, in order; null for no one. */
type Culprits = readonly (Attribution['blames'] | null)[]

function causeOf(culprits: Culprits, more: Partial<FailedEpisode> & { readonly callsAt?: readonly number[] }): string {
  const { turns } = scored({
    turns: culprits.map((blames, turn) => ({
      attribution: blames === null ? null : { blames, rule: `turn-${turn}`, detail: null, evidence: '' },
    })),
  })
  const calls = (more.callsAt ?? []).map((turn) => ({
    ...{ ...KEY, kind: 'call' as const, turn, name: 'a', arguments: '{}', result: 'no', isError: false },
  }))
  const lines = culprits.map((_, turn) => turnLine('x', { ...KEY, turn }))
  const trace = { key: KEY, turns: lines, calls, end: endLine({ ...KEY, reason: 'answered' }) }
  const { blames, rule } = episodeCause({
    format: evalFormat(KEY.protocol),
    ...{ trace, turns, end: 'repeat_loop', reasons: ['answer_num'], calls: [made, made, made], givenBefore: () => [] },
    ...{
      asked: [],
      wouldPass: () => false,
      wouldPassAs: () => false,
      forged: null,
      prompt: { showsTools: () => null, lostCall: () => null, otherSyntax: () => null },
    },
    rendered: renderedPrompts({ lines, sentTools: [], resultsBefore: () => [] }),
    lost: { of: () => null, forcesCall: false },
    damaged: { restored: () => null },
    task: { goldCalls: 0, maxModelCalls: 8 },
    ...more,
  })
  return `${blames} ${rule}`
}

describe('an episode that does not end by itself', () => {
  it.each<[string, Culprits]>([
    ['parser turn-1', ['parser', 'parser', 'model']],
    ['server turn-2', [null, 'server', 'server']],
    ['parser turn-0', ['parser']],
    ['prompt turn-2', ['parser', 'server', 'prompt']],
    // Half of them is no majority.
    ['model repeats-a-call', ['parser', 'parser', 'model', null]],
    ['model repeats-a-call', ['parser', null]],
    ['model repeats-a-call', ['server', 'model', 'model']],
    ['model repeats-a-call', ['model', 'model', 'model']],
    ['model repeats-a-call', [null, null, null]],
  ])('is the fault of %s after %j', (told, culprits) => {
    expect(causeOf(culprits, {})).toBe(told)
  })

  it('is not explained by one reply that was lost', () => {
    expect(causeOf(['server', null, null], { end: 'budget_exhausted' })).toBe('model budget-used-up')
    expect(causeOf(['server', null, null], { end: 'tool_error_spiral' })).toBe('model errors-in-a-row')
  })
})

describe('an episode that ended cleanly with a wrong outcome', () => {
  const clean = { end: 'no_tool_stop' as const }

  it('is the fault of the one who lost a reply before it reached the tools', () => {
    expect(causeOf(['parser', null, null, null], { ...clean, callsAt: [1, 2] })).toBe('parser turn-0')
    expect(causeOf(['parser', null, null, null], { ...clean, end: 'final_answer', callsAt: [1] })).toBe('parser turn-0')
    expect(causeOf(['parser', null, null, null], { ...clean, callsAt: [0, 1, 2] })).toBe('model wrong-outcome')
    expect(causeOf(['model', null, null, null], { ...clean, callsAt: [1] })).toBe('model wrong-outcome')
  })

  it('is the fault of the setup where only an expression of the suite was too slow', () => {
    expect(causeOf([null], { ...clean, reasons: ['answer_re_limit'] })).toBe('setup slow-pattern')
    expect(causeOf([null], { ...clean, reasons: ['answer_num', 'answer_re_limit'] })).toBe('model wrong-outcome')
  })

  it('by nothing but too many calls is the fault of the one who had a call repeated', () => {
    const counted = { ...clean, callsAt: [0, 1, 2] }

    expect(causeOf(['server', null, null, null], { ...counted, reasons: ['too_many_calls'] })).toBe('server turn-0')
    expect(causeOf(['server', null, null, null], { ...counted, reasons: ['too_many_calls', 'answer_num'] })).toBe(
      'model wrong-outcome',
    )
    expect(causeOf(['server', null, null, null], { ...counted, reasons: [] })).toBe('model wrong-outcome')
  })
})

describe('an episode that one reply ended', () => {
  it('has the cause of that reply, or of the one before an answer that was asked for', () => {
    expect(causeOf(['parser', 'model', 'server'], { end: 'truncated' })).toBe('server turn-2')
    expect(causeOf(['parser', 'model', null], { end: 'parse_dead_end' })).toBe('model turn-1')
    expect(causeOf(['parser', null, null], { end: 'empty_output' })).toBe('model wrong-outcome')
  })
})
