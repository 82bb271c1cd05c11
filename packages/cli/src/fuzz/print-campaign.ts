import type { Law } from '@callspec/fuzz'
import { plural } from '@callspec/eval/plural'
import type { Output } from '../output.ts'
import { inert } from '../terminal.ts'
import type { CampaignState, Cause } from './campaign.ts'
import { findingLines } from './print-finding.ts'

/** What is printed besides the state. */
export interface PrintedCampaign {
  readonly name: string
  readonly seed: number
  readonly laws: readonly Law[]
  /** The command line that searches the same, without law, seed and path. */
  readonly again: string
  readonly asJson: boolean
}

/** `12000 texts, 8400 a second, 61 % with a call, 2 violations`. */
export function progressText({ texts, distribution, causes, seconds }: CampaignState): string {
  const rate = seconds < 0.05 ? '' : `, ${Math.round(texts / seconds)} a second`
  return `${plural(texts, 'text')}${rate}, ${percent(distribution.call, texts)} with a call, ${plural(causes.length, 'violation')}`
}

/** Prints what was found, grouped by law, then what the texts were, and the line that scripts read. */
export function printCampaign(state: CampaignState, about: PrintedCampaign, output: Output): void {
  const { texts, distribution, causes, seconds } = state
  const found = causes.toSorted((one, other) => rank(about.laws, one) - rank(about.laws, other))
  if (about.asJson) {
    const violations = found.map(({ finding, times }) => ({
      ...finding,
      times,
      replay: replayOf(about, { finding, times }),
    }))
    output.line(JSON.stringify({ subject: about.name, texts, distribution, seed: about.seed, violations }, null, 2))
    return
  }
  output.line(`${inert(about.name)}: ${plural(about.laws.length, 'law')}`)
  output.line()
  for (const cause of found) {
    for (const line of findingLines(cause.finding, { times: cause.times, replay: replayOf(about, cause) }))
      output.line(line)
    output.line()
  }
  const { call, 'broken-call': broken, 'no-call': none } = distribution
  const speed = seconds < 0.05 ? '' : `; ${Math.round(texts / seconds)} texts a second`
  output.line(
    `with a call ${percent(call, texts)}, with a broken one ${percent(broken, texts)}, without ${percent(none, texts)}${speed}`,
  )
  output.line(
    `${plural(texts, 'text')}, ${call} with a call, ${plural(causes.length, 'violation')}, seed ${about.seed}`,
  )
}

/** The command line that shows a finding again. */
export function replayOf({ again }: Pick<PrintedCampaign, 'again'>, { finding: { law, seed, path } }: Cause): string {
  return `${again} --law ${law} --seed ${seed} --path ${path}`
}

function rank(laws: readonly Law[], { finding }: Cause): number {
  return laws.findIndex(({ id }) => id === finding.law)
}

function percent(part: number, of: number): string {
  return of === 0 ? '—' : `${Math.round((100 * part) / of)} %`
}
