import { html } from '../html.ts'
import type { Html } from '../html.ts'
import { renderPage } from '../shell.ts'
import { say } from '../words.ts'
import type { Words } from '../words.ts'
import { blameSection } from './blame.ts'
import { comparisonSection, pairsSection } from './comparison.ts'
import { episodesSection } from './episodes.ts'
import { factsSection, warningsSection } from './facts.ts'
import { gridSection } from './grid.ts'
import { headlines } from './headline.ts'
import type { Headline } from './headline.ts'
import type { EvaluationReport } from './input.ts'
import { labelsSection } from './labels.ts'

/** The page of an evaluation: one HTML file. Pure; the same data give the same file. */
export function renderEvaluation(report: EvaluationReport): string {
  const { summary, manifest, language } = report
  const body = html`<h1>${say({ en: 'Tool calling, compared', zh: '工具调用对比' })}</h1>
    <p class="quiet">${summary.run.models.join(', ')} · ${summary.run.protocols.join(', ')} · ${manifest.startedAt}</p>
    ${headlines(summary).map(headlineSection)} ${warningsSection(summary)} ${comparisonSection(summary)}
    ${blameSection(summary)} ${labelsSection(summary)} ${gridSection(summary)} ${pairsSection(summary)}
    ${episodesSection(report)} ${factsSection(summary, manifest)}`
  return renderPage({ title: `callspec: ${summary.run.models.join(', ')}`, language, body })
}

const QUESTIONS = {
  which: { en: 'Which format', zh: '用哪个格式' },
  howMuch: { en: 'By how much', zh: '差多少' },
  howCertain: { en: 'How certain', zh: '有多确定' },
  breaks: { en: 'What breaks most', zh: '最常出错的是什么' },
} as const satisfies Record<string, Words>

function headlineSection(headline: Headline): Html {
  return html`<section class="headline" data-model="${headline.model}">
    <h2>${headline.model}</h2>
    <dl>
      ${(['which', 'howMuch', 'howCertain', 'breaks'] as const).map(
        (name) =>
          html`<div>
            <dt>${say(QUESTIONS[name])}</dt>
            <dd data-sentence="${name}">${say(headline[name])}</dd>
          </div> `,
      )}
    </dl>
  </section>`
}
