export { renderPage } from './shell.ts'
export type { PageParts } from './shell.ts'
export { PAGE_STYLE } from './shell.ts'
export { PAGE_LANGUAGES } from './html.ts'
export type { PageLanguage } from './html.ts'
export { createEpisodePacker, packEpisodes } from './evaluation/episodes.ts'
export type { EpisodePacker } from './evaluation/episodes.ts'
export type { EvaluationPage, EvaluationReport, PackedEpisodes, ReportedEpisode } from './evaluation/episode-data.ts'
export { renderEvaluation } from './evaluation/page.ts'
export type { PageLayout } from './evaluation/page.ts'
export { dataBlock } from './html.ts'
export { renderBadge } from './badge.ts'
export type { Badge } from './badge.ts'
export type {
  ComparedAnswer,
  ComparedCase,
  ComparedVerdict,
  ConformanceColumn,
  ConformanceReport,
  TopicCell,
} from './conformance/case-data.ts'
export { renderConformance } from './conformance/page.ts'
export { badgeOf, renderScoreBadge } from './badge.ts'
export { renderTemplateLint } from './template/page.ts'
export type { LintedTemplateRow, TemplateLintPage } from './template/page.ts'
export { renderComparison } from './comparison/page.ts'
export type { ComparisonReport } from './comparison/page.ts'
export { renderFuzz } from './fuzz/page.ts'
export type { FuzzReport, FuzzViolation } from './fuzz/page.ts'
