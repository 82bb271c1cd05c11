import type { Conclusion } from '@callspec/eval'
import { conclusionsOf, realFirst, formatId } from '@callspec/eval'
import type { Html } from '../html.ts'
import { html, say } from '../html.ts'
import { renderPage } from '../shell.ts'
import { blameSection, labelsSection } from './blame.ts'
import { comparisonSection, pairsSection } from './comparison.ts'
import { episodesPart } from './episodes.ts'
import { factsSection } from './facts.ts'
import { gridSection } from './grid.ts'
import { storySection } from './story.ts'
import { injectionSection } from './injection.ts'
import { breakageWords, comparisonWords, verdictWords, warningsSection } from './headline.ts'
import type { EvaluationPage, EvaluationReport } from './episode-data.ts'

export { createEpisodePacker } from './episodes.ts'
export type { EpisodePacker } from './episodes.ts'
export { createExampleCollector } from './injection-examples.ts'
export type { ExampleCollector, InjectionExample } from './injection-examples.ts'
export { createStoryCollector } from './story-example.ts'
export type { CauseExample, StoryCollector } from './story-example.ts'
export type { EvaluationPage } from './episode-data.ts'
export { renderProgress, renderRunList, RUN_LIST_MARK } from '../runs/page.ts'
export type { ProgressPage, RowChange, RunEntry, RunEntryRow, RunListPage, RunState } from '../runs/page.ts'
export type { PageLanguage } from '../html.ts'

/** How a page is laid out. */
export interface PageLayout {
  /** Size of the episodes within the page, in characters; above it they are files next to it. Default: 30 million. */
  readonly mostInside?: number
}

/** The page of an evaluation: one HTML file, and files next to it if it would grow too large. The same data give the same files. */
export function renderEvaluation(report: EvaluationReport, { mostInside }: PageLayout = {}): EvaluationPage {
  const { summary, manifest, language } = report
  const { section, blocks, files } = episodesPart(report.episodes, mostInside)
  const body = html`<h1>${say({ en: 'Tool calling, compared', zh: '工具调用对比' })}</h1>
    <p class="quiet">
      ${realFirst(summary.run.models).join(', ')} · ${summary.run.protocols.map(formatId).join(', ')} ·
      ${manifest.startedAt}
    </p>
    ${conclusionsOf(summary).map(headlineSection)} ${warningsSection(summary)} ${comparisonSection(summary)}
    ${injectionSection(summary, report.examples ?? [])} ${storySection(summary, report.stories ?? [])}
    ${blameSection(summary)} ${labelsSection(summary)} ${gridSection(summary)} ${pairsSection(summary)} ${section}
    ${factsSection(summary, manifest)}`
  const title = `callspec: ${realFirst(summary.run.models).join(', ')}`
  return { html: renderPage({ title, language, body, data: blocks, loadsFiles: files.size > 0 }), files }
}

/** What the run says of one model: the same sentences as the terminal and `report.md`. */
function headlineSection({ model, isSimulated, verdict, breaks }: Conclusion): Html {
  const others = verdict.kind === 'winner' ? verdict.others : []
  return html`<section class="headline" data-model="${model}">
    <h2>${model}${isSimulated && html` <small class="quiet">${say({ en: 'simulated', zh: '模拟模型' })}</small>`}</h2>
    <p class="verdict" data-sentence="verdict">${say(verdictWords(verdict))}</p>
    ${others.map((each) => html`<p>${say(comparisonWords(each))}</p>`)}
    <p data-sentence="breaks">${say(breakageWords(breaks))}</p>
  </section>`
}
