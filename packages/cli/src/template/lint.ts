import { plural } from '@callspec/eval/text'
import { fromPlain, isDict } from '@callspec/python'
import { RESPONSE_RULES } from '@callspec/response-template/lint'
import { compileTemplate } from '@callspec/template'
import type { Finding, Form, LintOptions, LintReport, Severity, StandIn } from '@callspec/template/lint'
import { lintRenderer, lintTemplate, RULES, variablesOf } from '@callspec/template/lint'
import type { TemplateSource, TextSource } from '@callspec/template/source'
import { createRenderer } from '@callspec/template/source'
import { reportToCi } from '../ci-findings.ts'
import { wrapHanging } from '../columns.ts'
import type { ExitCode, Invocation, Options } from '../command.ts'
import { EXIT } from '../command.ts'
import type { Output, Style } from '../output.ts'
import { inert, quotedLine } from '../output.ts'
import { sourcesProgress } from '../request-progress.ts'
import { didYouMean, UsageError } from '../usage-error.ts'
import { writeFileAtomically } from '../write-file.ts'
import { sha256Of } from './diff.ts'
import {
  isResponseFailed,
  lintResponse,
  printResponseLint,
  responseCiFindings,
  responseLintJson,
  responseOf,
} from './lint-response.ts'
import type { LintedResponse } from './lint-response.ts'
import { forgeryLines, probeMessageText } from './forgery-text.ts'
import type { FailOn } from './options.ts'
import { FAIL_ON } from './options.ts'
import { isSourceError, openTemplateSource, raiseText, sourceLocation } from './source.ts'

export async function runLint(invocation: Invocation): Promise<ExitCode> {
  const { positionals, options, output } = invocation
  if (positionals.length === 0)
    throw new UsageError(
      'callspec template lint needs a SOURCE: a .jinja file, a tokenizer_config.json, a .gguf, a URL.',
    )
  const rules = rulesFrom(options)
  const failOn = failOnFrom(options)
  const linted: LintedSource[] = []
  const responses: LintedResponse[] = []
  let unreadable = 0
  const progress = sourcesProgress(output, positionals)
  for (const [index, path] of positionals.entries()) {
    progress.step(index)
    try {
      const response = await responseOf(path, options)
      const source = await openTemplateSource(path, invocation).catch((error: unknown) => withoutChat(error, response))
      if (source !== null) linted.push(await lintSource(source, rules === null ? {} : { rules }))
      if (response !== null) responses.push(await lintResponse(response, { source, rules }))
    } catch (error) {
      // One broken source does not stop the others.
      if (positionals.length === 1 || !isSourceError(error)) {
        progress.stop()
        throw error
      }
      output.note(`callspec: ${error.message}`)
      unreadable += 1
    }
  }
  progress.stop()
  const failed =
    linted.some((each) => isFailed(each, failOn)) || responses.some((each) => isResponseFailed(each, failOn))
  if (options.flag('json')) output.line(JSON.stringify(lintJson({ linted, responses, failed }), null, 2))
  else {
    linted.forEach((each) => printLint(each, output))
    responses.forEach((each) => printResponseLint(each, output))
  }
  await writePage(linted, invocation)
  await reportLint(linted, responses, invocation)
  if (unreadable > 0) return EXIT.usage
  return failed ? EXIT.disagreement : EXIT.ok
}

async function reportLint(
  linted: readonly LintedSource[],
  responses: readonly LintedResponse[],
  invocation: Invocation,
): Promise<void> {
  const chat = linted.flatMap(({ name, report }) =>
    report.findings.map(({ rule, severity, about, detail, remedy }) => ({
      ...{ rule, level: severity === 'info' ? ('note' as const) : severity },
      // A template has no line where what it leaves out would be.
      ...{ message: `${about} ${quotedLine(detail, 200)} ${remedy}`, file: name.replace(/#[^#/]*$/, '') },
    })),
  )
  const findings = [...chat, ...responses.flatMap(responseCiFindings)]
  const rules = Object.fromEntries([...RULES, ...RESPONSE_RULES].map(({ id, about }) => [id, about]))
  const totals = [
    ...linted.map(({ name, report }) => `${name}: ${countText(report.findings)}`),
    ...responses.map(({ name, findings: of }) => `${name}: ${plural(of.length, 'finding')} in the response template`),
  ]
  const total = totals.join('; ')
  const sarif = invocation.options.text('sarif')
  await reportToCi(
    { findings, rules, title: 'callspec template lint', total: quotedLine(total, 1000), sarif },
    invocation,
  )
}

/** A folder may have a response template alone. */
function withoutChat(error: unknown, response: object | null): null {
  if (response !== null && isSourceError(error)) return null
  throw error
}

async function writePage(linted: readonly LintedSource[], { options, output }: Invocation): Promise<void> {
  const path = options.text('html')
  if (path === null) return
  const { renderTemplateLint } = await import('@callspec/report')
  await writeFileAtomically(path, renderTemplateLint({ templates: linted }))
  output.note(`page: ${path}`)
}

function isFailed({ report }: LintedSource, failOn: FailOn): boolean {
  return report.findings.some(({ severity }) => severity === 'error' || severity === failOn)
}

/** The rules that `--rule` names; null for all but those of severity info. */
function rulesFrom(options: Options): readonly string[] | null {
  const given = options.list('rule').flatMap((text) => text.split(','))
  const known = [...RULES, ...RESPONSE_RULES].map(({ id }) => id)
  if (given.length === 0) return null
  for (const id of given) {
    if (id !== 'all' && !known.includes(id))
      throw new UsageError(
        `there is no rule "${id}".${didYouMean(id, known)} All of them: docs/templates.md, or --rule all.`,
      )
  }
  return given.includes('all') ? known : given
}

/** The severities that cause exit code 1. */
function failOnFrom(options: Options): FailOn {
  const given = options.text('fail-on')
  return FAIL_ON.find((each) => each === given) ?? 'error'
}

/** The version of the JSON that `callspec template lint --json` prints: `schemas/template-lint.schema.json`. */
const LINT_SCHEMA = 1

interface AllLinted {
  readonly linted: readonly LintedSource[]
  readonly responses: readonly LintedResponse[]
  readonly failed: boolean
}

function lintJson({ linted, responses, failed }: AllLinted): object {
  const read = responses.length === 0 ? {} : { responseTemplates: responses.map(responseLintJson) }
  return { schema: LINT_SCHEMA, kind: 'template-lint', failed, templates: linted.map(templateJson), ...read }
}

function templateJson({ name, place, sha256, report }: LintedSource): object {
  const { form, standIns, conversations, findings } = report
  return {
    name,
    place,
    sha256,
    form,
    standIns: standIns.map(({ kind, name: missing }: StandIn) => ({ kind, name: missing })),
    conversations,
    findings: findings.map(findingJson),
  }
}

export function findingJson(finding: Finding): object {
  const { rule, severity, about, detail, remedy, reports, probe, rendered, spot, forgery } = finding
  return {
    ...{ rule, severity, about, detail, remedy, reports },
    conversation: conversationJson(probe),
    rendered,
    spot,
    ...(forgery === null ? {} : { forgery: { ...forgery, real: conversationJson(forgery.real) } }),
  }
}

function conversationJson({ id, messages, tools, generationPrompt = true, variables = {} }: Finding['probe']): object {
  return { id, messages, tools, add_generation_prompt: generationPrompt, variables }
}

const STYLES: Readonly<Record<Severity, Style>> = { error: 'red', warning: 'yellow', info: 'dim' }
const FINDING_INDENT = 9

export function printLint({ name, place, report }: LintedSource, output: Output): void {
  const { findings, form, standIns, conversations } = report
  const where = place === '' ? name : `${name} (${place})`
  output.line(output.paint('bold', inert(where)))
  output.line(`  ${countText(findings)}, in ${plural(conversations, 'conversation')}; ${formText(form)}`)
  for (const { kind, name: missing } of standIns)
    output.line(inert(`  the ${kind} ${missing} is missing: replaced by a stand-in`))
  const unclear = report.forgeries.filter(({ outcome }) => outcome === 'refused' || outcome === 'not-shown')
  if (unclear.length > 0)
    output.line(`  not shown whether texts forge turns: ${unclear.map(({ attack }) => attack).join(', ')}`)
  // What helps against several is printed once.
  const helps = new Map<string, string>()
  for (const finding of findings) {
    const { remedy, reports, forgery } = finding
    const help = JSON.stringify([remedy, reports, forgery?.fix ?? null])
    printTemplateFinding(finding, output, helps.get(help) ?? null)
    if (!helps.has(help)) helps.set(help, finding.rule)
  }
}

const CONTENT = { empty: "content ''", null: 'content null', absent: 'no content' } as const

/** The form of calls that a server must pass to the template. */
function formText(form: Form): string {
  const tools = { wrapped: '', bare: ', tools as the functions alone', none: ', no tools' }[form.tools]
  const given = form.arguments === 'object' ? 'an object' : 'text'
  return `calls written with arguments as ${given}, ${CONTENT[form.content]}${tools}`
}

/** @param like the rule of an earlier finding with the same remedy; null for none */
function printTemplateFinding(finding: Finding, output: Output, like: string | null): void {
  const { rule, severity, about, detail, remedy, reports, probe, forgery } = finding
  const lines = (text: string): void =>
    wrapHanging(inert(text), FINDING_INDENT, output).forEach((line) => output.line(line))
  output.line(`${output.paint(STYLES[severity], severity.padEnd(FINDING_INDENT - 1))} ${output.paint('bold', rule)}`)
  lines(about)
  lines(`${probe.id}: ${probe.messages.map(probeMessageText).join(' · ')}`)
  const shown = spotText(finding)
  lines(shown === null ? `raises ${quotedLine(detail, 200)}` : quotedLine(detail, 200))
  if (shown !== null) output.line(`${' '.repeat(FINDING_INDENT)}${shown}`)
  if (forgery !== null) forgeryLines(like === null ? forgery : { ...forgery, fix: null }).forEach(lines)
  lines(like === null ? `→ ${remedy}` : `→ as for ${like}`)
  if (like !== null) return
  for (const report of reports) output.line(`${' '.repeat(FINDING_INDENT)}${report}`)
}

const BEFORE = 36
const AFTER = 30

/** The place in the prompt with the text around it, on one line; null if there is no prompt. */
function spotText({ rendered, spot }: Finding): string | null {
  if (rendered === null) return null
  const { start, end } = spot ?? { start: rendered.length, end: rendered.length }
  const before = quotedLine(rendered.slice(Math.max(0, start - BEFORE), start), BEFORE * 2)
  const marked = quotedLine(rendered.slice(start, end), 60)
  const after = quotedLine(rendered.slice(end, end + AFTER), AFTER * 2)
  const [head, tail] = [start > BEFORE ? '…' : '', end + AFTER < rendered.length ? '…' : '']
  return `${head}${before}»${marked}«${after}${tail}`
}

export interface LintedSource {
  readonly name: string
  /** Location of the text in the source; empty for a whole file. */
  readonly place: string
  /** Of the template's text; null for a server that does not show it. */
  readonly sha256: string | null
  readonly report: LintReport
}

/**
 * Lints a template, or the prompts of a server.
 *
 * @throws UsageError for a template that does not compile, InputError for a server that shows no prompts
 */
export async function lintSource(source: TemplateSource, options: LintOptions): Promise<LintedSource> {
  if (source.kind === 'text') return lintText(source, options)
  const renderer = createRenderer(source, { forced: new Map(), now: new Date() })
  const report = await lintRenderer((probe) => {
    const variables = fromPlain(variablesOf(probe))
    return renderer.render(isDict(variables) ? variables : new Map())
  }, options)
  return { name: source.name, place: '/apply-template', sha256: null, report }
}

function lintText(source: TextSource, options: LintOptions): LintedSource {
  const { error } = compileTemplate(source.template)
  if (error?.type === 'TemplateSyntaxError') throw new UsageError(raiseText(sourceLocation(source), error))
  const { name, place, template, tokens, specials } = source
  const known = Object.keys(tokens).length === 0 ? {} : { tokens }
  const report = lintTemplate({ source: template, ...known, specials }, options)
  return { name, place, sha256: sha256Of(template), report }
}

/** `3 errors, 1 warning`; `nothing found` without any. */
export function countText(findings: readonly Finding[]): string {
  const parts = (['error', 'warning', 'info'] as const).flatMap((severity) => {
    const count = findings.filter((each) => each.severity === severity).length
    return count === 0 ? [] : [severity === 'info' ? `${count} info` : plural(count, severity)]
  })
  return parts.length === 0 ? 'nothing found' : parts.join(', ')
}
