import type { Law, Finding } from '@callspec/fuzz'
import { addDistributions, EMPTY_DISTRIBUTION, regressionOf } from '@callspec/fuzz'
import { plural } from '@callspec/eval/text'
import type { Output } from '../output.ts'
import { inert } from '../output.ts'
import { pace } from '../work-progress.ts'
import type { CampaignState, FoundCause } from './campaign.ts'
import type { Invocation } from '../command.ts'
import { writeFileAtomically } from '../write-file.ts'
import type { ChosenSubject } from './choose-subject.ts'

/** Printed in addition to the state. */
export interface PrintedCampaign {
  readonly name: string
  readonly seed: number
  readonly laws: readonly Law[]
  /** The command line of the same search, without law, seed and path. */
  readonly again: string
}

/** `12000 texts, 8400 a second, 61 % with a call, 2 violations`. */
export function progressText({ texts, distribution, causes, seconds, share }: CampaignState): string {
  const found = `${shareText(distribution.call, texts)} with a call, ${plural(causes.length, 'violation')}`
  return [plural(texts, 'text'), ...pace(seconds * 1000, { done: texts, share }), found].join(' · ')
}

/** The findings by law, as JSON. */
export function campaignJson({ texts, distribution, causes }: CampaignState, about: PrintedCampaign): object {
  const violations = causesInOrder(causes, about).map((cause) => ({
    ...cause.finding,
    times: cause.times,
    replay: replayOf(about, cause),
  }))
  return { subject: about.name, texts, distribution, seed: about.seed, violations }
}

/** Prints the findings by law, the distribution of the texts, and the line for scripts. */
export function printCampaign(state: CampaignState, about: PrintedCampaign, output: Output): void {
  const { texts, distribution, causes, seconds } = state
  output.line(`${inert(about.name)}: ${plural(about.laws.length, 'law')}`)
  output.line()
  for (const cause of causesInOrder(causes, about)) {
    for (const line of findingLines(cause.finding, { times: cause.times, replay: replayOf(about, cause) }))
      output.line(line)
    output.line()
  }
  const { call, 'broken-call': broken, 'no-call': none } = distribution
  const speed = seconds < 0.05 ? '' : `; ${Math.round(texts / seconds)} texts a second`
  output.line(
    `with a call ${shareText(call, texts)}, with a broken one ${shareText(broken, texts)}, without ${shareText(none, texts)}${speed}`,
  )
  output.line(lastLine(state, about.seed))
}

/** Prints the line for scripts about several formats. */
export function printTotal(
  states: readonly CampaignState[],
  { seed, output }: { readonly seed: number; readonly output: Output },
): void {
  const causes = states.flatMap((state) => state.causes)
  const texts = states.reduce((sum, state) => sum + state.texts, 0)
  const distribution = states.map((state) => state.distribution).reduce(addDistributions, EMPTY_DISTRIBUTION)
  output.line()
  output.line(`${plural(states.length, 'format')} together`)
  output.line(lastLine({ texts, causes, distribution }, seed))
}

function lastLine(
  { texts, distribution, causes }: Pick<CampaignState, 'texts' | 'distribution' | 'causes'>,
  seed: number,
): string {
  return `${plural(texts, 'text')}, ${distribution.call} with a call, ${plural(causes.length, 'violation')}, seed ${seed}`
}

function causesInOrder(causes: readonly FoundCause[], { laws }: PrintedCampaign): readonly FoundCause[] {
  return causes.toSorted((one, other) => rank(laws, one) - rank(laws, other))
}

/** The command line that reproduces a finding. */
export function replayOf(
  { again }: Pick<PrintedCampaign, 'again'>,
  { finding: { law, seed, path } }: FoundCause,
): string {
  return `${again} --law ${law} --seed ${seed} --path ${path}`
}

function rank(laws: readonly Law[], { finding }: FoundCause): number {
  return laws.findIndex(({ id }) => id === finding.law)
}

function shareText(part: number, of: number): string {
  return of === 0 ? '—' : `${Math.round((100 * part) / of)} %`
}

/** The part of an answer that is shown; `--save` keeps it whole. */
const MAX_PRINTED = 600

/**
 * A finding as a case for a report: the text in its chunks, the expected and the actual answer, and the command that reproduces it. JSON
 * escapes keep it on one inert line.
 */
export function findingLines(
  finding: Finding,
  { times, replay }: { readonly times: number; readonly replay: string },
): readonly string[] {
  const { law, statement, pains, breach, text, chunks, expected, got, seed, path } = finding
  const rows = pains.length === 0 ? '' : ` (${pains.map((pain) => `problem ${pain}`).join(', ')} of docs/laws.md)`
  return [
    `${law}: ${statement}${rows}`,
    `  breach    ${inert(breach)}${times > 1 ? `, ${times} times` : ''}`,
    `  input     ${asciiJson(text)}`,
    ...(chunks.length > 1 ? [`  chunks    ${asciiJson(chunks)}`] : []),
    `  expected  ${cutForPrint(onOneLine(expected))}`,
    `  got       ${cutForPrint(onOneLine(got))}`,
    `  seed      ${seed}, path ${path}`,
    `  again     ${replay}`,
  ]
}

/** JSON in ASCII: invisible and direction-changing characters and lone surrogates are escaped. */
function asciiJson(value: unknown): string {
  return cutForPrint(JSON.stringify(value))
}

function cutForPrint(text: string): string {
  const shown = text.length <= MAX_PRINTED ? text : `${text.slice(0, MAX_PRINTED)}… (${text.length} characters)`
  return inert(shown).replaceAll('\n', () => '\\n')
}

function onOneLine(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}

/** Parts of the page in addition to the findings. */
export interface AboutPage {
  readonly name: string
  readonly seed: number
  readonly again: string
  readonly chosen: Pick<ChosenSubject, 'formatId' | 'profile'>
}

/** Writes the page that --html requests. */
export async function writeFuzzPage(
  { texts, distribution, causes }: CampaignState,
  { chosen, ...about }: AboutPage,
  { options, output }: Invocation,
): Promise<void> {
  const path = options.text('html')
  if (path === null) return
  const { renderFuzz } = await import('@callspec/report')
  const page = renderFuzz({
    subject: about.name,
    texts,
    withCall: distribution.call,
    seed: about.seed,
    violations: causes.map((cause) => ({
      ...cause.finding,
      times: cause.times,
      replay: replayOf(about, cause),
      kept: regressionOf(cause.finding, { format: chosen.formatId, profile: chosen.profile }),
    })),
  })
  await writeFileAtomically(path, page)
  output.note(`page: ${path}`)
}
