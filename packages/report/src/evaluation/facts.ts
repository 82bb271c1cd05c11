import type { EvalSummary, RunManifest } from '@callspec/eval'
import { apisOf, endpointText, transportTexts, formatId } from '@callspec/eval'
import type { Html, HtmlPart, Words } from '../html.ts'
import { html, say } from '../html.ts'

/** The settings of the run, so that it can be repeated. */
export function factsSection(summary: EvalSummary, manifest: RunManifest): Html {
  const { run } = summary
  const lines: readonly (readonly [Words, HtmlPart])[] = [
    [{ en: 'callspec, scorer', zh: 'callspec、评分器版本' }, `${manifest.callspec}, ${summary.scorer}`],
    [{ en: 'suite', zh: '任务集' }, [`${run.suite.name} ${run.suite.version}, `, say(tasksWords(run.tasks))]],
    [{ en: 'SHA-256 of the suite', zh: '任务集 SHA-256' }, run.suite.sha256],
    [{ en: 'hash of the plan', zh: '计划哈希' }, manifest.config],
    [{ en: 'models', zh: '模型' }, run.models.map((model) => modelText(model, manifest)).join('; ')],
    [
      { en: 'hosts', zh: '宿主版本' },
      Object.entries(run.hosts)
        .map(([name, version]) => `${formatId(name)} ${version}`)
        .join('; '),
    ],
    ...enginesLine(manifest),
    ...endpointLines(summary),
    [{ en: 'seeds', zh: '种子' }, run.repeat === 1 ? run.seed : `${run.seed} – ${run.seed + run.repeat - 1}`],
    [{ en: 'stop words', zh: '停止词' }, run.stops],
    [{ en: 'prompt of the formats', zh: '格式的提示词' }, run.prompt ?? 'maker'],
    [{ en: 'API', zh: '接口' }, `${apisOf(run).join(', ')}, ${run.stream ? 'stream' : 'no stream'}`],
    [{ en: 'started, finished', zh: '开始、结束' }, `${manifest.startedAt}, ${manifest.finishedAt ?? '—'}`],
  ]
  return html`<section id="facts">
    <h2>${say({ en: 'What was run', zh: '运行信息' })}</h2>
    <table class="lists">
      ${lines.map(
        ([name, value]) =>
          html`<tr>
            <th scope="row">${say(name)}</th>
            <td class="text">${value}</td>
          </tr> `,
      )}
    </table>
    ${ledgerLine(summary)}
  </section>`
}

function tasksWords(tasks: number): Words {
  return { en: `${tasks} ${tasks === 1 ? 'task' : 'tasks'}`, zh: `${tasks} 个任务` }
}

/** The work of each of several endpoints, and the result of episodes whose endpoint became unavailable. */
function endpointLines({ transport }: EvalSummary): readonly (readonly [Words, string])[] {
  const texts = [...transport.endpoints.map(endpointText), ...transportTexts(transport)]
  return texts.map((text) => [{ en: 'endpoints', zh: '端点' }, text])
}

/** What the engines say of themselves; no line where none does. */
function enginesLine({ engines = {} }: RunManifest): readonly (readonly [Words, string])[] {
  const texts = Object.entries(engines).map(([model, builds]) => `${model}: ${builds.join(', ')}`)
  return texts.length === 0 ? [] : [[{ en: 'builds of the engines', zh: '引擎版本' }, texts.join('; ')]]
}

function modelText(model: string, { endpoints }: RunManifest): string {
  const endpoint = endpoints[model]
  return endpoint === undefined ? model : `${model} (${endpoint.name}, ${endpoint.baseUrl})`
}

const ALL_FACTS: Words = {
  en: 'Simulated models, measured as injected: labels {labels}, blame {faults} of {turns} turns; end {ends}, success {success}, blame {blames}, calls {calls} of {episodes} episodes.',
  zh: '模拟模型，测得与注入一致：{turns} 次回复中标签 {labels}、责任方 {faults}；{episodes} 个回合中结束 {ends}、成败 {success}、责任方 {blames}、调用次数 {calls}。',
}

const FORGED_FACTS: Words = {
  en: 'What they did with forged texts, measured as injected: {agreeing} of {of} episodes.',
  zh: '对伪造文本的反应，测得与注入一致：{of} 个回合中 {agreeing} 个。',
}

/** Of a run from before the others were counted. */
const LABELS_AND_ENDS: Words = {
  en: 'Simulated models, measured as injected: labels {labels} of {turns} turns; end {ends} of {episodes} episodes.',
  zh: '模拟模型，测得与注入一致：{turns} 次回复中标签 {labels}；{episodes} 个回合中结束 {ends}。',
}

/** Simulated models say what they meant; a real one has no ledger. */
function ledgerLine({ ledger }: EvalSummary): Html | null {
  if (ledger === null) return null
  const { turns, turnsAgreeing, turnBlamesAgreeing, episodes } = ledger
  const { episodesAgreeing, successAgreeing, blamesAgreeing, callsAgreeing } = ledger
  const [labels, faults, ends] = [turnsAgreeing, turnBlamesAgreeing, episodesAgreeing]
  const [success, blames, calls] = [successAgreeing, blamesAgreeing, callsAgreeing]
  if (faults === null || success === null || blames === null || calls === null)
    return html`<p>${say(LABELS_AND_ENDS, { labels, turns, ends, episodes })}</p>`
  const { forged } = ledger
  return html`<p>${say(ALL_FACTS, { labels, faults, turns, ends, success, blames, calls, episodes })}</p>
    ${forged !== undefined && html`<p>${say(FORGED_FACTS, { agreeing: forged.agreeing, of: forged.episodes })}</p>`}`
}
