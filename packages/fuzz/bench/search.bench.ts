import { formats, nous } from '@callspec/core/qwen-agent'
import fc from 'fast-check'
import { bench, describe } from 'vitest'

import {
  findViolation,
  formatSubject,
  LAWS,
  lawsNamed,
  parserSubject,
  runLaw,
  samplesFor,
  searchViolations,
} from '../src/index.ts'
import type { Law, Parser, Sample, Subject } from '../src/index.ts'
import { markerSoup } from '../src/arbitraries/texts.ts'

// Processor time, and ratios within one run: a busy machine must not decide. What is measured is printed as a table.

const ONCE = { iterations: 1, time: 0, warmupIterations: 0, warmupTime: 0, warmup: false } as const
const FORMATS = [formats.nous, formats.qwen, formats.react]

describe('the property loop', () => {
  bench(
    'of a search with our parser, beside a predicate that says yes',
    once(() => {
      const rows = FORMATS.flatMap((format) => {
        const subject = formatSubject(format)
        const soup = markerSoup(subject.language)
        const samples = samplesFor('text', subject)
        return [
          row(`${format.id}, soup`, soup.map(bareSample), subject),
          row(`${format.id}, all texts`, samples, subject),
        ]
      })
      console.log(
        table('a search that parses every text, beside the same texts and a predicate that says yes (aim: 50 %)', rows),
      )
    }),
    ONCE,
  )

  bench(
    'with each law',
    once(() => {
      const rows = FORMATS.flatMap((format) => {
        const subject = formatSubject(format)
        return LAWS.filter((law) => law.applies(subject)).map((law) => lawRow(law, subject))
      })
      console.log(table('one law on texts of at most 200 units', rows))
    }),
    ONCE,
  )
})

describe('shrinking', () => {
  bench(
    'of findings in a parser that drops all issues, or throws',
    once(() => {
      const rows = Object.entries(BROKEN).map(([name, parser]) => {
        const subject = parserSubject(parser, { format: nous })
        const laws = lawsNamed(['content-conservation', 'totality', 'json-closure'])
        const times = laws.flatMap((law) => shrinkTimes(subject, law)).sort((a, b) => a - b)
        return {
          parser: name,
          findings: String(times.length),
          'median ms': (times[times.length >> 1] ?? 0).toFixed(1),
          'slowest ms': (times.at(-1) ?? 0).toFixed(1),
        }
      })
      console.log(table('from a violation to the smallest one (aim: 50 ms in the median)', rows))
    }),
    ONCE,
  )
})

describe('memory', () => {
  bench(
    'of 300 000 texts, after the first 100 000 and at the end',
    once(() => {
      const subject = formatSubject(nous)
      const used = [0, 1, 2].map((seed) => {
        searchViolations(subject, { laws: lawsNamed(['content-conservation']), runs: 100_000, seed })
        return process.memoryUsage().rss / 1e6
      })
      console.log(`resident MB: ${used.map((mb) => mb.toFixed(0)).join(', ')}`)
    }),
    ONCE,
  )
})

/** The runner calls a benchmark a few times before it counts; only the first call works. */
function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    work()
  }
}

const RUNS = 20_000
const ROUNDS = 5

/** The smallest law that asks a parser; so the loop is the search with our parser in it. */
const PARSES: Law = {
  id: 'totality',
  statement: 'Every text gets an outcome.',
  guards: [],
  cost: 'linear',
  needs: 'text',
  applies: () => true,
  ask: ({ text }) => [{ op: 'parse', text }],
  judge: () => null,
}

function bareSample(text: string): Sample {
  return { text, cuts: [], other: '', plan: null }
}

function row(name: string, samples: fc.Arbitrary<Sample>, subject: Subject): Readonly<Record<string, string>> {
  const plain: number[] = []
  const parsing: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const without = cpuOf(() =>
      fc.check(
        fc.property(samples, () => true),
        { numRuns: RUNS, seed: round },
      ),
    )
    const search = { laws: [PARSES], runs: RUNS, seed: round, samples }
    const withParser = cpuOf(() => searchViolations(subject, search))
    // The first round is for the optimiser.
    if (round > 0) {
      plain.push(without)
      parsing.push(withParser)
    }
  }
  const rate = (ms: number): string => String(Math.round(RUNS / ms))
  return {
    texts: name,
    'yes, 1/ms': rate(median(plain)),
    'search, 1/ms': rate(median(parsing)),
    share: `${((100 * median(plain)) / median(parsing)).toFixed(0)} %`,
  }
}

function lawRow(law: Law, subject: Subject): Readonly<Record<string, string>> {
  const count = law.cost === 'linear' ? 2000 : 150
  const samples: readonly Sample[] =
    law.needs === 'record'
      ? []
      : fc.sample(samplesFor(law.needs, subject, { maxLength: 200 }), { numRuns: count, seed: 1 })
  for (const sample of samples.slice(0, count >> 2)) runLaw(law, subject, sample)
  const ms = cpuOf(() => {
    for (const sample of samples) runLaw(law, subject, sample)
  })
  return { subject: subject.name, law: law.id, 'µs per text': ((1000 * ms) / samples.length).toFixed(0) }
}

/** Parsers with a mistake that many texts bring to light. */
const BROKEN: { readonly [name: string]: Parser } = {
  'drops issues': {
    parse: (text, options) => {
      const outcome = nous.parse(text, options)
      return outcome.kind === 'parsed' ? { ...outcome, issues: [] } : outcome
    },
  },
  'throws on emoji in calls': {
    parse: (text, options) => {
      if (/<tool_call>[^]*\p{Extended_Pictographic}/u.test(text)) throw new RangeError('a character too many')
      return nous.parse(text, options)
    },
  },
}

function shrinkTimes(subject: Subject, law: Law): readonly number[] {
  const times: number[] = []
  for (let seed = 1; seed <= 15; seed++) {
    const finding = findViolation(subject, { laws: [law], runs: 3000, seed })
    if (finding === null) continue
    // With its path the search begins at the violation, so that only the way to the smallest one is left.
    times.push(cpuOf(() => findViolation(subject, { laws: [law], runs: 1, seed, path: finding.path })))
  }
  return times
}

function cpuOf(work: () => unknown): number {
  const start = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN
}

/** Rows of numbers under headings, in columns. */
function table(title: string, rows: readonly Readonly<Record<string, string>>[]): string {
  const heads = Object.keys(rows[0] ?? {})
  const widths = heads.map((head) => Math.max(head.length, ...rows.map((each) => (each[head] ?? '').length)))
  const line = (cells: readonly string[]): string => cells.map((cell, i) => cell.padStart(widths[i] ?? 0)).join('  ')
  return [title, line(heads), ...rows.map((each) => line(heads.map((head) => each[head] ?? '')))].join('\n')
}
