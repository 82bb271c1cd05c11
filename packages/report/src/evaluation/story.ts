import type { Cause, EvalSummary, SummaryRow } from '@callspec/eval'
import { causeKey, formatId, mergedCauses, rowName, sameCause } from '@callspec/eval'
import type { Html, Words } from '../html.ts'
import { html, say } from '../html.ts'
import { evidenceBehind } from './episode-data.ts'
import { causeWords, CULPRITS } from './names.ts'
import { episodesHref } from './page-data.ts'
import type { CauseExample } from './story-example.ts'

const TOLD = 3

/** The three causes of most failed episodes, with one episode each; null where nothing failed. */
export function storySection({ rows }: Pick<EvalSummary, 'rows'>, examples: readonly CauseExample[]): Html | null {
  const causes = mergedCauses(rows.map(({ blame }) => blame))
    .filter(({ episodes }) => episodes > 0)
    .toSorted((one, other) => other.episodes - one.episodes)
  if (causes.length === 0) return null
  const failed = causes.reduce((sum, { episodes }) => sum + episodes, 0)
  return html`<section id="story">
    <h2>${say({ en: 'What goes wrong most', zh: '最常见的失败' })}</h2>
    ${causes.slice(0, TOLD).map((cause) => causeStory(cause, { rows, failed, examples }))}
  </section>`
}

interface StoryParts {
  readonly rows: readonly SummaryRow[]
  readonly failed: number
  readonly examples: readonly CauseExample[]
}

const SHARE: Words = {
  en: '{count} of {failed} failed episodes. {where}',
  zh: '{failed} 个失败的回合中有 {count} 个。{where}',
}

function causeStory(cause: Cause, { rows, failed, examples }: StoryParts): Html {
  const example = examples.find((each) => each.cause === causeKey(cause))
  return html`<h3>${say(causeWords(cause))} <small class="quiet">${say(CULPRITS[cause.blames])}</small></h3>
    <p>${say(SHARE, { count: cause.episodes, failed, where: placesOf(cause, rows) })}</p>
    ${example !== undefined && exampleBox(example)}`
}

const SHOWN_PLACES = 3

/** Where it happens most, each with a link to its episodes. */
function placesOf(cause: Cause, rows: readonly SummaryRow[]): Html {
  const places = rows
    .map((row) => ({ row, count: sameCause(cause, row.blame.causes)?.episodes ?? 0 }))
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => other.count - one.count)
  const shown = places.slice(0, SHOWN_PLACES).map(({ row, count }, at) => {
    const { model, protocol } = row
    const href = episodesHref({ model, protocol: formatId(protocol), cause: causeKey(cause) })
    return html`${at > 0 && ', '}<a href="${href}">${rowName(row)}: ${count}</a>`
  })
  return html`${shown}${places.length > SHOWN_PLACES && ', …'}`
}

function exampleBox({ model, protocol, task, sample, question, replies, detail, evidence }: CauseExample): Html {
  const href = episodesHref({ model, protocol: formatId(protocol), task })
  return html`<p class="quiet">
      ${say({ en: 'One of them:', zh: '其中一个：' })}
      <a href="${href}">${model} <code>${formatId(protocol)}</code> ${task}</a>,
      ${say({ en: 'seed {sample}', zh: '种子 {sample}' }, { sample })}
    </p>
    ${question !== '' && html`<p class="question">${question}</p>`} ${replies.map(replyBox)}
    <p class="evidence" lang="en-GB">${evidenceBehind({ detail, evidence })}</p>`
}

function replyBox(reply: string): Html {
  if (reply.trim() === '') return html`<p class="quiet">${say({ en: '(an empty reply)', zh: '（空回复）' })}</p>`
  return html`<pre class="bytes">${reply}</pre>`
}
