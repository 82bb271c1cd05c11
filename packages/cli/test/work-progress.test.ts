import { describe, expect, it } from 'vitest'
import { createOutput } from '../src/output.ts'
import { timeText, workProgress } from '../src/work-progress.ts'

interface Recorded {
  readonly written: string[]
  readonly step: (done: number, share?: number) => void
  readonly wait: (ms: number) => void
}

function recorded({
  isTTY,
  of,
  environment = {},
}: {
  isTTY: boolean
  of?: number
  environment?: Record<string, string>
}): Recorded {
  const written: string[] = []
  let now = 1000
  const clock = (): number => now
  const stderr = { write: (text: string) => written.push(text), isTTY }
  const output = createOutput({ stdout: { write: () => 0, isTTY }, stderr, environment, clock })
  const { step } = workProgress({ output, noun: 'template', of, clock })
  return { written, step, wait: (ms) => (now += ms) }
}

/** Ten steps of half a second. */
function worked(options: Parameters<typeof recorded>[0], shareOf?: (done: number) => number): readonly string[] {
  const { written, step, wait } = recorded(options)
  for (let done = 1; done <= 10; done += 1) {
    wait(500)
    step(done, shareOf?.(done))
  }
  return written.map((line) => line.replace('\r\u001b[K', ''))
}

describe('the progress of a work', () => {
  it('has the count, the rate and the time left, from two seconds on', () => {
    const shown = worked({ isTTY: true, of: 40 })

    expect(shown).toHaveLength(7)
    expect(shown[0]).toBe('4 of 40 templates · 2.0/s · 18 s left')
    expect(shown.at(-1)).toBe('10 of 40 templates · 2.0/s · 15 s left')
  })

  it('has the time left by the share of the work where the number is not known', () => {
    expect(worked({ isTTY: true }).at(-1)).toBe('10 templates · 2.0/s')
    expect(worked({ isTTY: true }, (done) => done / 20).at(-1)).toBe('10 templates · 2.0/s · 5 s left')
    expect(worked({ isTTY: true }, () => 1.5).at(-1)).toBe('10 templates · 2.0/s · 0 s left')
  })

  it.each([
    ['a pipe', {}],
    ['a pipe of CI', { CI: '1' }],
  ])('is not shown in %s', (_, environment) => {
    const { written, step, wait } = recorded({ isTTY: false, of: 40, environment })
    wait(60_000)
    step(10)

    expect(written).toEqual([])
  })

  it('is a line every ten seconds on a terminal of CI, which is a log', () => {
    const { written, step, wait } = recorded({ isTTY: true, of: 40, environment: { CI: '1' } })
    for (let done = 1; done <= 25; done += 1) {
      wait(1000)
      step(done)
    }

    expect(written).toEqual(['10 of 40 templates · 1.0/s · 30 s left\n', '20 of 40 templates · 1.0/s · 20 s left\n'])
  })

  it('is written at most ten times a second', () => {
    const { written, step, wait } = recorded({ isTTY: true, of: 4000 })
    wait(2000)
    for (let done = 0; done < 1000; done += 1) {
      wait(1)
      step(done)
    }

    expect(written).toHaveLength(10)
  })
})

it('names times in seconds, minutes and hours', () => {
  expect([0, 14_200, 99_000, 170_000, 9_000_000].map(timeText)).toEqual(['0 s', '15 s', '99 s', '3 min', '2.5 h'])
})
