import { plural } from '@callspec/eval/text'
import { resultData } from '@callspec/response-template'
import type { ResponseFinding } from '@callspec/response-template/lint'
import { findingData, lintResponseTemplate } from '@callspec/response-template/lint'
import type { TemplateSource } from '@callspec/template/source'
import { createRenderer } from '@callspec/template/source'
import type { CiFinding } from '../ci-findings.ts'
import { wrapHanging } from '../columns.ts'
import type { Options } from '../command.ts'
import type { Output, Style } from '../output.ts'
import { inert, quotedLine } from '../output.ts'
import { UsageError } from '../usage-error.ts'
import type { FailOn } from './options.ts'
import { jsonText } from './parse.ts'
import { findResponseSource, readResponseSource } from './response-source.ts'
import type { ResponseSource } from './response-source.ts'

/** A response template, and what is wrong with it. */
export interface LintedResponse {
  readonly name: string
  readonly place: string
  readonly findings: readonly ResponseFinding[]
}

/** The response template that goes with a source: that of `--response-template`, else its own; null if there is none. */
export async function responseOf(path: string, options: Options): Promise<ResponseSource | null> {
  const given = options.text('response-template')
  if (given !== null) return readResponseSource(given)
  if (/^https?:|\.(?:jinja2?|gguf|txt)$/i.test(path)) return null
  // A broken file is reported where its chat template is read.
  return findResponseSource(path).catch((error: unknown) => {
    if (error instanceof UsageError) return null
    throw error
  })
}

/**
 * Lints a response template, with the chat template of the source where there is one.
 *
 * @throws UsageError for an older response_schema
 */
export async function lintResponse(
  response: ResponseSource,
  { source, rules }: { readonly source: TemplateSource | null; readonly rules: readonly string[] | null },
): Promise<LintedResponse> {
  const { name, place, kind, value } = response
  if (kind === 'schema')
    throw new UsageError(
      `${name}: has the older response_schema, deprecated since July 2026. Write a response_template.`,
    )
  const renderer = source === null ? null : createRenderer(source, { forced: new Map(), now: new Date() })
  const findings = await lintResponseTemplate(value, {
    rules: rules ?? undefined,
    render: renderer === null ? undefined : (variables) => renderer.render(variables),
  })
  return { name, place, findings }
}

/** Whether a finding has a severity that fails the lint. */
export function isResponseFailed({ findings }: LintedResponse, failOn: FailOn): boolean {
  return findings.some(({ severity }) => severity === 'error' || severity === failOn)
}

const STYLES: Readonly<Record<ResponseFinding['severity'], Style>> = { error: 'red', warning: 'yellow', info: 'dim' }
const INDENT = 9

export function printResponseLint({ name, place, findings }: LintedResponse, output: Output): void {
  output.line(output.paint('bold', inert(place === '' ? name : `${name} (${place})`)))
  output.line(
    `  ${findings.length === 0 ? 'nothing found' : plural(findings.length, 'finding')} in the response template`,
  )
  for (const finding of findings) printFinding(finding, output)
}

function printFinding({ severity, id, field, about, detail, remedy, witness }: ResponseFinding, output: Output): void {
  const lines = (text: string): void => wrapHanging(inert(text), INDENT, output).forEach((line) => output.line(line))
  const where = field === null ? '' : `  field ${quotedLine(field, 40)}`
  output.line(`${output.paint(STYLES[severity], severity.padEnd(INDENT - 1))} ${output.paint('bold', id)}${where}`)
  lines(about)
  lines(quotedLine(detail, 200))
  if (witness !== null) {
    const pieces = (witness.chunks ?? [witness.text]).slice(0, 4).map((piece) => `"${quotedLine(piece, 80)}"`)
    lines(`${pieces.join(' then ')}${(witness.chunks ?? []).length > 4 ? ' …' : ''}`)
    lines(`is read as ${quotedLine(jsonText(resultData(witness.result)), 160)}`)
    if (witness.other !== null) lines(`and not as ${quotedLine(jsonText(resultData(witness.other)), 160)}`)
  }
  lines(`→ ${remedy}`)
}

/** The findings for `reportToCi`. */
export function responseCiFindings({ name, findings }: LintedResponse): readonly CiFinding[] {
  return findings.map(({ id, severity, about, detail, remedy }) => ({
    rule: id,
    level: severity === 'info' ? 'note' : severity,
    message: `${about} ${quotedLine(detail, 200)} ${remedy}`,
    file: name,
  }))
}

/** The findings as `callspec template lint --json` prints them. */
export function responseLintJson({ name, place, findings }: LintedResponse): object {
  return { name, place, findings: findings.map(findingData) }
}
