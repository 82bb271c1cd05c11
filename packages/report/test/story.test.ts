import type { Cause, SummaryRow } from '@callspec/eval'
import { causeKey } from '@callspec/eval'
import { describe, expect, it } from 'vitest'
import type { CauseExample } from '../src/evaluation/story-example.ts'
import { createStoryCollector } from '../src/evaluation/story-example.ts'
import { storySection } from '../src/evaluation/story.ts'

const HOSTILE = '</pre><script>alert(1)</script>\u202e'

function cause(rule: string, episodes: number): Cause {
  return { blames: 'model', rule, detail: null, turns: 0, episodes, example: HOSTILE }
}

function row(model: string, causes: readonly Cause[]): SummaryRow {
  return { model, protocol: 'react', blame: { turns: {}, episodes: {}, causes } } as unknown as SummaryRow
}

function example(rule: string): CauseExample {
  const key = causeKey({ rule, detail: null })
  const place = { model: HOSTILE, protocol: 'react', task: HOSTILE, sample: 0 }
  return { cause: key, ...place, question: HOSTILE, replies: [HOSTILE], detail: null, evidence: HOSTILE }
}

describe('the story of failures', () => {
  it('has the three causes of most failed episodes of all models, with one episode each', () => {
    const rows = [
      row('a', [cause('wrong-outcome', 4), cause('truncated', 1), cause('no-tool-call', 0)]),
      row('b', [cause('repeats-a-call', 5), cause('truncated', 5), cause('errors-in-a-row', 2)]),
    ]
    const examples = ['wrong-outcome', 'truncated', 'repeats-a-call', 'errors-in-a-row'].map(example)
    const { markup } = storySection({ rows }, examples) ?? { markup: '' }

    const shares = Array.from(markup.matchAll(/<span lang="en">(\d+) of 17 failed episodes/g), ([, count]) => count)
    expect(shares).toEqual(['6', '5', '4'])
    expect(markup.match(/class="question"/g)).toHaveLength(3)
    expect(markup).toMatch(/>b react: 5<\/a>, <a [^>]*>a react: 1<\/a>/)
    expect(markup).not.toContain('<script')
    expect(markup).not.toContain('\u202e')
  })

  it('is absent where nothing failed', () => {
    expect(storySection({ rows: [row('a', [cause('truncated', 0)])] }, [])).toBeNull()
  })
})

describe('the example of a cause', () => {
  it('is the first failed episode, with its last two replies, cut', () => {
    const collector = createStoryCollector()
    const attribution = { blames: 'model', rule: 'wrong-outcome', detail: null, evidence: 'e' } as const
    const key = { model: 'm', protocol: 'react', task: 'T', sample: 0 }
    const turn = (text: string): never => ({ text, toolCalls: [], failure: null }) as unknown as never
    const add = (texts: readonly string[], isFailed: boolean): void =>
      collector.add({ trace: { key, turns: texts.map(turn) }, score: { attribution: isFailed ? attribution : null } })
    add(['solved'], false)
    add(['one', 'two', 'x'.repeat(900)], true)
    add(['later'], true)

    expect(collector.all().map(({ replies }) => replies)).toEqual([['two', `${'x'.repeat(800)}… [900]`]])
  })
})
