import type { Blamed, Cause, EvalSummary, SummaryRow } from '@callspec/eval'
import { BLAMED, causeKey, mergedCauses, realFirst, sameCause, formatId, rowName } from '@callspec/eval'
import { END_LABELS, TURN_LABELS } from '@callspec/labels'
import type { StackedBar, StackedChart } from '../charts/stacked-bars.ts'
import { stackedBars } from '../charts/stacked-bars.ts'
import type { TableRow } from '../folding-table.ts'
import { foldingTable, sameWords } from '../folding-table.ts'
import type { Html, Words } from '../html.ts'
import { html, say } from '../html.ts'
import { evidenceBehind } from './episode-data.ts'
import { episodesHref } from './page-data.ts'
import { causeWords, CULPRITS, LABEL_NAMES } from './names.ts'

const NO_FINE_LABELS: ReadonlySet<string> = new Set()

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
        fine: NO_FINE_LABELS,
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
        zh: '按原因统计的失败回合，以及有该问题的回复（成功的回合也计入）。点击数字查看回合。每个失败只归于一个原因。',
      },
      corner: { en: 'cause', zh: '原因' },
      heads: [
        ...rows.map(({ protocol }) => ({ words: sameWords(formatId(protocol)) })),
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
  { en: '{count} episode', zh: '{count} 个回合' },
  { en: '{count} episodes', zh: '{count} 个回合' },
]
const REPLIES: readonly [one: Words, many: Words] = [
  { en: '{count} reply', zh: '{count} 个回复' },
  { en: '{count} replies', zh: '{count} 个回复' },
]

function countedWords(count: number, [one, many]: readonly [Words, Words]): Html {
  return say(count === 1 ? one : many, { count })
}

function causeRow(cause: Cause, rows: readonly SummaryRow[]): TableRow {
  const cells = rows.map(({ model, protocol, blame }) => {
    const here = sameCause(cause, blame.causes)
    if (here === undefined) return html`<span class="quiet">·</span>`
    const href = episodesHref({ model, protocol: formatId(protocol), cause: causeKey(cause) })
    const [episodes, replies] = [countedWords(here.episodes, EPISODES), countedWords(here.turns, REPLIES)]
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

/** What every turn and every episode came to, as stacked bars and as a table. */
export function labelsSection({ rows }: EvalSummary): Html {
  return html`<section id="labels">
    <h2>${say({ en: 'What the replies were', zh: '回复的类别' })}</h2>
    ${chartAndTable(
      rows.map((row) => ({ name: rowName(row), counts: row.strict })),
      {
        label: { en: 'Replies by what they were, read strictly', zh: '回复标签（严格）' },
        order: TURN_LABELS,
        names: LABEL_NAMES.turns,
        fine: FINE_TURNS,
      },
    )}
    <h2>${say({ en: 'How the episodes ended', zh: '回合如何结束' })}</h2>
    ${chartAndTable(
      rows.map((row) => ({ name: rowName(row), counts: row.ends })),
      {
        label: { en: 'Episodes by how they ended', zh: '结束标签' },
        order: END_LABELS,
        names: LABEL_NAMES.ends,
        fine: FINE_ENDS,
      },
    )}
  </section>`
}

/** Labels that say that nothing is wrong. */
export const FINE_TURNS: ReadonlySet<string> = new Set(['well_formed', 'final_answer', 'no_tool_text'])
export const FINE_ENDS: ReadonlySet<string> = new Set(['final_answer', 'no_tool_stop'])

function chartAndTable(bars: readonly StackedBar[], chart: Omit<StackedChart, 'bars'>): Html {
  const used = chart.order.filter((name) => bars.some(({ counts }) => (counts[name] ?? 0) > 0))
  return html`${stackedBars({ ...chart, bars })}
    <details>
      <summary>${say({ en: 'The same as a table', zh: '以表格显示' })}</summary>
      ${foldingTable({
        corner: { en: 'model, format', zh: '模型、格式' },
        heads: used.map((name) => ({ words: chart.names[name] ?? sameWords(name) })),
        groups: [
          { rows: bars.map(({ name, counts }) => ({ head: name, cells: used.map((label) => counts[label] ?? 0) })) },
        ],
      })}
    </details>`
}
