import { expect, it } from 'vitest'
import type { EpisodeTrace, RunEvent } from '@callspec/eval'
import { createOutput } from '../../src/output.ts'
import { createProgress } from '../../src/eval/progress.ts'

const PRICE = { prompt: 1, completion: 2 }

function ended(done: number, usage: object | null = { prompt: 1000, completion: 500 }): RunEvent {
  const turns = [{ usage, cached: false, failure: null }]
  return { type: 'ended', trace: { key: { model: 'm' }, turns } as unknown as EpisodeTrace, done, of: 10 }
}

/** The text on stderr, with a clock that the test sets. */
function shown(
  isTTY: boolean,
  price: typeof PRICE | null,
  inPipes = false,
): { readonly at: (ms: number, event: RunEvent) => string } {
  let [now, text] = [0, '']
  const clock = (): number => now
  const sink = { write: (chunk: string) => (text += chunk), isTTY }
  const output = createOutput({ stdout: sink, stderr: sink, environment: {}, clock })
  const progress = createProgress({ output, prices: new Map([['m', price]]), clock, inPipes })
  return {
    at: (ms, event) => {
      now = ms
      text = ''
      progress(event)
      return text.replace('\r\u001b[K', '')
    },
  }
}

it('shows on a terminal how far, how fast, what it cost and how long it takes, ten times a second at most', () => {
  const { at } = shown(true, PRICE)

  expect(at(1000, ended(1))).toBe('1 of 10 episodes · 1.0/s · $0.0020 · 9 s left')
  expect(at(1050, ended(2))).toBe('')
  expect(at(2000, ended(4))).toBe('4 of 10 episodes · 2.0/s · $0.0060 · 3 s left')
  expect(at(2010, ended(10))).toBe('10 of 10 episodes · 5.0/s · $0.0080 · 0 s left')
})

it('reports that a cost is unknown where the server counts no tokens, and nothing where no cost was requested', () => {
  expect(shown(true, PRICE).at(1000, ended(1, null))).toContain(' · cost unknown · ')
  expect(shown(true, null).at(1000, ended(1))).toBe('1 of 10 episodes · 1.0/s · 9 s left')
})

it('writes nothing into a pipe', () => {
  const { at } = shown(false, null)

  expect(at(9000, ended(1))).toBe('')
  expect(at(60_000, ended(2))).toBe('')
})

it('writes a plain line now and then into a pipe that wants it', () => {
  const { at } = shown(false, null, true)

  expect(at(9000, ended(1))).toBe('')
  expect(at(10_000, ended(2))).toBe('2 of 10 episodes · 0.2/s · 40 s left\n')
})

it('counts what an interrupted run had done neither as speed nor as cost', () => {
  const { at } = shown(true, null)
  at(0, { type: 'started', episodes: 10, recorded: 5 })

  expect(at(1000, ended(6))).toBe('6 of 10 episodes · 1.0/s · 4 s left')
})

it.each([true, false])(
  'says once that a server went away and is back; inPipes %s: how long it has waited',
  (inPipes) => {
    const { at } = shown(false, null, inPipes)
    const failure = { kind: 'unreachable', status: null, message: 'refused the connection' } as const
    const outage = (state: 'waiting' | 'over', waitedMs: number, patienceMs = 120_000): RunEvent => {
      return { type: 'outage', baseUrl: 'http://h/v1', outage: { state, failure, waitedMs, patienceMs } }
    }

    expect(at(0, outage('waiting', 900))).toBe(
      'callspec: http://h/v1 went away (refused the connection). Waiting for it, at most 2 min.\n',
    )
    expect(at(5000, outage('waiting', 5900))).toBe('')
    const waits = inPipes ? 'waiting for http://h/v1 for 12 s, at most 2 min\n' : ''
    expect(at(11_000, outage('waiting', 11_900))).toBe(waits)
    expect(at(12_000, outage('over', 12_900))).toBe('callspec: http://h/v1 answers again, after 13 s\n')
    expect(at(13_000, outage('waiting', 500, 0))).toBe('')
  },
)

it('says of one of several servers that it fails or refuses every request', () => {
  const { at } = shown(false, null)
  const outage = (kind: 'infra' | 'configuration', message: string, port: number): RunEvent => {
    const failure = { kind, status: null, message } as const
    const now = { state: 'waiting', failure, waitedMs: 0, patienceMs: 120_000, isFailing: true } as const
    return { type: 'outage', baseUrl: `http://h:${port}/v1`, outage: now, isShared: true }
  }

  expect(at(0, outage('infra', '500 no', 1))).toBe(
    'callspec: http://h:1/v1 fails every request (500 no). Its episodes go on elsewhere.\n',
  )
  expect(at(0, outage('configuration', '401 no', 2))).toBe(
    'callspec: http://h:2/v1 refuses requests (401 no). Its episodes go on elsewhere.\n',
  )
})

it('says once that a server asks to wait for long, not for each request and not for a moment', () => {
  const { at } = shown(false, null)
  const failure = { kind: 'infra', status: 429, message: '429 slow down' } as const
  const told = (milliseconds: number): RunEvent => {
    return { type: 'told-to-wait', baseUrl: 'http://h/v1', milliseconds, failure }
  }

  expect(at(0, told(2000))).toBe('')
  expect(at(0, told(2_400_000))).toBe('callspec: http://h/v1 asks to wait for 40 min (429 slow down)\n')
  expect(at(10, told(2_400_000))).toBe('')
  expect(at(2_400_001, told(60_000))).toBe('callspec: http://h/v1 asks to wait for 60 s (429 slow down)\n')
})
