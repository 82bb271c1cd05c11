import { BLAMED, causeKey, mergedCauses, realFirst, sameCause } from '@callspec/eval'
import type { Blamed, Cause, EvalSummary, SummaryRow } from '@callspec/eval'
import { stackedBars } from '../charts/stacked-bars.ts'
import { foldingTable, sameWords } from '../folding-table.ts'
import type { TableRow } from '../folding-table.ts'
import { html } from '../html.ts'
import type { Html } from '../html.ts'
import { say } from '../words.ts'
import type { Words } from '../words.ts'
import { rowName } from './cells.ts'
import { evidenceBehind } from './evidence.ts'
import { episodesHref } from './episodes-href.ts'
import { causeWords, CULPRITS } from './names.ts'

const NOBODY: ReadonlySet<string> = new Set()

/** Where failures come from: by cause, with a count for each format that leads to its episodes, and the evidence. */
export function blameSection({ rows }: EvalSummary): Html | null {
  const failing = rows.filter(({ blame }) => blame.causes.length > 0)
  if (failing.length === 0) return null
  const bars = failing
    .filter(({ blame }) => Object.keys(blame.turns).length > 0)
    .map((row) => ({ name: rowName(row), counts: row.blame.turns }))
  return html`<section id="blame">
    <h2>${say({ en: 'Where failures come from', zh: '失败从何而来' })}</h2>
    ${
      bars.length > 0 &&
      stackedBars({
        label: { en: 'Faulty replies by who is to blame', zh: '有问题的回复按责任方统计' },
        order: BLAMED,
        names: CULPRITS,
        fine: NOBODY,
        bars,
        isByCount: true,
      })
    }
    ${realFirst([...new Set(failing.map(({ model }) => model))]).map((model) =>
      modelTable(
        model,
        rows.filter((row) => row.model === model),
      ),
    )}
  </section>`
}

function modelTable(model: string, rows: readonly SummaryRow[]): Html {
  const causes = causesOf(rows)
  return html`<h3>${model}</h3>
    ${foldingTable({
      caption: {
        en: 'Failed episodes by cause, and replies with that fault, in solved episodes too. A number leads to the episodes. Every failure has one cause.',
        zh: '按原因统计的失败运行，以及有该问题的回复（成功的运行也计入）。点击数字查看运行。每个失败只归于一个原因。',
      },
      corner: { en: 'cause', zh: '原因' },
      heads: [
        ...rows.map(({ protocol }) => ({ words: sameWords(protocol) })),
        { words: { en: 'evidence of the first one', zh: '首个证据' }, isText: true },
      ],
      groups: BLAMED.flatMap((blames) => {
        const own = causes.filter((cause) => cause.blames === blames)
        return own.length === 0 ? [] : [{ head: culpritHead(blames), rows: own.map((cause) => causeRow(cause, rows)) }]
      }),
    })}`
}

function culpritHead(blames: Blamed): Html {
  return html`<span class="swatch part part-${BLAMED.indexOf(blames)}"></span> ${say(CULPRITS[blames])}`
}

/** The causes of a model over all its formats, most failed episodes first. */
function causesOf(rows: readonly SummaryRow[]): readonly Cause[] {
  const found = mergedCauses(rows.map(({ blame }) => blame))
  return found.toSorted((one, other) => other.episodes - one.episodes || other.turns - one.turns)
}

const EPISODES: readonly [one: Words, many: Words] = [
  { en: '{count} episode', zh: '{count} 次运行' },
  { en: '{count} episodes', zh: '{count} 次运行' },
]
const REPLIES: readonly [one: Words, many: Words] = [
  { en: '{count} reply', zh: '{count} 个回复' },
  { en: '{count} replies', zh: '{count} 个回复' },
]

function counted(count: number, [one, many]: readonly [Words, Words]): Html {
  return say(count === 1 ? one : many, { count })
}

function causeRow(cause: Cause, rows: readonly SummaryRow[]): TableRow {
  const cells = rows.map(({ model, protocol, blame }) => {
    const here = sameCause(cause, blame.causes)
    if (here === undefined) return html`<span class="quiet">·</span>`
    const href = episodesHref({ model, protocol, cause: causeKey(cause) })
    const [episodes, replies] = [counted(here.episodes, EPISODES), counted(here.turns, REPLIES)]
    return html`<a class="count" href="${href}"
      >${episodes}${here.turns > 0 && html`<br /><small>${replies}</small>`}</a
    >`
  })
  return {
    head: say(causeWords(cause)),
    cells: [
      ...cells,
      html`<span class="evidence" lang="en-GB"
        >${evidenceBehind({ detail: cause.detail, evidence: cause.example })}</span
      >`,
    ],
  }
}
