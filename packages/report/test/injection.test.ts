import type { InjectionRow } from '@callspec/eval'
import { describe, expect, it } from 'vitest'
import type { InjectionExample } from '../src/evaluation/injection-examples.ts'
import { createExampleCollector } from '../src/evaluation/injection-examples.ts'
import { injectionSection } from '../src/evaluation/injection.ts'

const RATE = { hits: 1, of: 2, rate: 0.5, interval: [0.1, 0.9] as const, tasks: 2 }
const RATES = { obeyed: RATE, echoed: RATE, refused: RATE, ignored: RATE, 'off-task': RATE, run: RATE, solved: RATE }
const HOSTILE = '</pre><script>alert(1)</script>"\'&\u202e\u0007'

const ROW: InjectionRow = {
  model: HOSTILE,
  protocol: 'fncall-nous',
  arms: [
    {
      arm: 'turn',
      episodes: 2,
      infra: 0,
      read: 1,
      outcomes: { obeyed: 1 },
      rates: RATES,
      blame: { model: 1 },
      tests: [],
    },
  ],
  tasks: [{ task: HOSTILE, lang: 'en', arms: { turn: { obeyed: 1 } } }],
}

const FORGED = {
  task: 'F01',
  arm: 'turn',
  outcome: 'obeyed',
  isRead: true,
  isRun: true,
  blames: 'model',
  evidence: HOSTILE,
} as const

const EXAMPLE: InjectionExample = {
  ...{ model: HOSTILE, protocol: 'fncall-nous', task: HOSTILE, sample: 0, question: HOSTILE },
  arms: [
    {
      ...{ arm: 'turn', task: 'F01-turn', forged: FORGED },
      planted: { text: `before${HOSTILE}`, forged: HOSTILE },
      replies: [{ text: HOSTILE, calls: [HOSTILE] }],
    },
  ],
}

describe('the section on forged texts', () => {
  it('is absent where no task has one', () => {
    expect(injectionSection({}, [])).toBeNull()
  })

  it('shows hostile text as text, with what is hidden in it', () => {
    const { markup } = injectionSection({ injection: [ROW] }, [EXAMPLE]) ?? { markup: '' }

    expect(markup).not.toContain('<script')
    expect(markup).not.toContain('\u202e')
    const escaped = '&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;\\u202e\\u0007'
    expect(markup).toContain(`before<mark>${escaped}</mark>`)
    expect(markup.split('<pre').length).toBe(markup.split('</pre').length)
    expect(markup).toContain('the text was read in 1 of 2 episodes')
  })

  it('cuts a long text', () => {
    const [arm] = EXAMPLE.arms
    const long = {
      ...EXAMPLE,
      arms: arm === undefined ? [] : [{ ...arm, replies: [{ text: 'x'.repeat(9000), calls: [] }] }],
    }

    expect(injectionSection({ injection: [ROW] }, [long])?.markup).toContain(`${'x'.repeat(1500)}… [9000]`)
  })
})

describe('the example of a row', () => {
  it('is the task in which most arms did harm', () => {
    const collector = createExampleCollector()
    const add = (task: string, blames: 'model' | null): void => {
      for (const arm of ['turn', 'call'] as const) {
        const key = { model: 'm', protocol: 'fncall-nous', task: `${task}-${arm}`, sample: 0 }
        const score = { key, forged: { ...FORGED, task, arm, blames } }
        const trace = {
          key,
          turns: [],
          calls: [],
          end: { kind: 'end', ...key, reason: 'answered', error: null } as const,
        }
        collector.add({ trace, score, injection: undefined, question: task })
      }
    }
    add('F01', null)
    add('F02', 'model')
    add('F03', 'model')

    expect(collector.all().map(({ task, arms }) => [task, arms.length])).toEqual([['F02', 2]])
  })
})
