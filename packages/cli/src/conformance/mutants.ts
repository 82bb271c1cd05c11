import type { Case } from '@callspec/conformance'
import { builtInCases, findCaseFiles, matches, readCases, STRICT } from '@callspec/conformance'
import type { MutantSpec, CaseScore, Mutant } from '@callspec/conformance/built-in'
import { makeMutant, readMutants, scoreByCases } from '@callspec/conformance/built-in'
import { plural } from '@callspec/eval/text'
import type { Invocation, ExitCode } from '../command.ts'
import { EXIT } from '../command.ts'
import { didYouMean, UsageError } from '../usage-error.ts'
import type { Output } from '../output.ts'
import { inert } from '../output.ts'
import { workProgress } from '../work-progress.ts'
import { wantsJson } from './options.ts'
import type { LawId, Parser, Subject } from '@callspec/fuzz'
import { EXCEPTIONS, findViolation, formatParser, LAWS, parserSubject } from '@callspec/fuzz'
import { renderTable } from '../table.ts'
import type { PromptFormat } from '@callspec/core/qwen-agent'
import { formats } from '@callspec/core/qwen-agent'
import type { Format } from '@callspec/core'

const DEFAULT_RUNS = 300

/** Lets the strict cases and, separately, the laws loose on parsers with one mistake each, and prints which they catch. */
export async function runMutants(invocation: Invocation): Promise<ExitCode> {
  const { options, positionals, output } = invocation
  const isJson = wantsJson(invocation)
  const runs = options.integer('runs', { min: 1, max: 1_000_000 }) ?? DEFAULT_RUNS
  const seed = options.integer('seed', { min: 0, max: 0xffff_ffff }) ?? 0
  const specs = chosen(readMutants(), options.list('format'), options.list('id'))
  const cases = await strictCases([...options.list('cases'), ...positionals])
  const progress = workProgress({ output, noun: 'mutant', of: specs.length })
  const scores: MutantScore[] = []
  for (const spec of specs) {
    const mutant = makeMutant(spec)
    scores.push({ spec, cases: await scoreByCases(mutant, cases), law: await scoreByLaws(mutant, { runs, seed }) })
    progress.step(scores.length)
    // Ctrl-C gets its turn.
    await new Promise((resolve) => setImmediate(resolve))
  }
  output.progressDone()
  if (isJson) output.line(JSON.stringify({ runs, seed, mutants: scores.map(scoreJson) }, null, 2))
  else printScore(scores, output, { runs, seed })
  return scores.every(({ cases: { failed }, law }) => failed.length > 0 || law !== null) ? EXIT.ok : EXIT.disagreement
}

function chosen(
  specs: readonly MutantSpec[],
  formats: readonly string[],
  ids: readonly string[],
): readonly MutantSpec[] {
  const isMeant = (patterns: readonly string[], name: string): boolean =>
    patterns.length === 0 || matches(patterns, name)
  const found = specs.filter(({ id, format }) => isMeant(formats, format) && isMeant(ids, id))
  if (found.length > 0) return found
  const known = [...new Set(specs.map(({ format }) => format))]
  const asked = formats.find((each) => !known.includes(each)) ?? ''
  throw new UsageError(
    `no mutant was selected.${didYouMean(asked, known)} There are some of ${inert(known.join(', '))}.`,
  )
}

async function strictCases(paths: readonly string[]): Promise<readonly Case[]> {
  const found: Case[] = []
  for await (const item of readCases(await findCaseFiles(paths.length > 0 ? paths : [await builtInCases()])))
    if (item.profile === STRICT) found.push(item)
  return found
}

export interface MutantScore {
  readonly spec: MutantSpec
  readonly cases: CaseScore
  /** The first law that it broke; null for none. */
  readonly law: LawId | null
}

export function scoreJson({ spec, cases, law }: MutantScore): object {
  const { asked, failed, aboutCalls } = cases
  return { id: spec.id, format: spec.format, about: spec.about, cases: { asked, failed, aboutCalls }, law }
}

/** One line per mutant, then how many were caught by what. */
export function printScore(
  scores: readonly MutantScore[],
  output: Output,
  { runs, seed }: { readonly runs: number; readonly seed: number },
): void {
  const rows = scores.map(({ spec, cases, law }) => {
    const { asked, right } = cases.aboutCalls
    return [
      spec.id,
      cases.failed.length === 0 ? '-' : `${cases.failed.length} of ${cases.asked}`,
      asked === 0 ? '-' : `${Math.floor((100 * right) / asked)} %`,
      law ?? '-',
    ]
  })
  output.line(
    renderTable({
      head: ['mutant', 'cases', 'right in calls', 'law'],
      rows,
      align: ['left', 'right', 'right', 'left'],
      ascii: !output.isTerminal,
      width: output.wrapAt,
    }),
  )
  const byCases = scores.filter(({ cases }) => cases.failed.length > 0)
  const byLaws = scores.filter(({ law }) => law !== null)
  const missed = scores.filter((score) => !byCases.includes(score) && !byLaws.includes(score))
  output.line(`\ncaught by cases  ${share(byCases.length, scores.length)}`)
  output.line(
    `caught by laws   ${share(byLaws.length, scores.length)} (${plural(runs, 'text')} per group of laws, seed ${seed})`,
  )
  output.line(`caught           ${share(scores.length - missed.length, scores.length)}`)
  for (const { spec } of missed) output.line(`nothing catches ${spec.id}: ${spec.about}`)
}

function share(some: number, all: number): string {
  return `${some} of ${all}, ${((100 * some) / all).toFixed(1)} %`
}

/** How hard the laws look. */
export interface LawSearch {
  /** Texts per group of laws. */
  readonly runs: number
  readonly seed: number
}

/** The first law that a mutant breaks on generated texts; null for none. */
export async function scoreByLaws(mutant: Mutant, { runs, seed }: LawSearch): Promise<LawId | null> {
  // What is wrong elsewhere is made slowly on purpose: only a mistake about speed is looked for by counting.
  const laws = LAWS.filter(({ id }) => id !== 'linear-work' || 'work' in mutant.spec.bug)
  return (await findViolation(subjectOf(mutant), { laws, runs, seed }))?.law ?? null
}

/** A mutant as the laws ask it. */
export function subjectOf({ right, format, createDeltas, spec }: Mutant): Subject {
  const about = parserOf(right)
  const parser: Parser = {
    ...parserOf(format),
    ...(createDeltas === null ? {} : { createDeltaStream: (options) => createDeltas(options) }),
  }
  return parserSubject(parser, {
    format: about,
    name: spec.id,
    options: { parallelCalls: true },
    exceptions: EXCEPTIONS[right.id] ?? [],
  })
}

/** As the laws ask it: what a format of Qwen-Agent writes is learnt from its prompts. */
function parserOf(format: Format): PromptFormat {
  const parser = formatParser(format)
  const named = Object.hasOwn(formats, format.id) ? formats[format.id as keyof typeof formats] : null
  if (named === null || format.versions.includes('strict')) return parser
  const { id, stopWords, tokens, render } = named
  return { ...parser, id, stopWords, render, ...(tokens === undefined ? {} : { tokens }) }
}
