import { fromPlain, isDict } from '@callspec/python'
import { compileTemplate } from '@callspec/template'
import { lintRenderer, lintTemplate, variablesOf } from '@callspec/template/lint'
import type { Finding, LintOptions, LintReport } from '@callspec/template/lint'
import { createRenderer } from '@callspec/template/source'
import type { TemplateSource, TextSource } from '@callspec/template/source'
import { plural } from '@callspec/eval/plural'
import { UsageError } from '../usage-error.ts'
import { sha256Of } from './print-differences.ts'
import { placeOf, raiseText } from './source.ts'

/** The lint of one source. */
export interface LintedSource {
  readonly name: string
  /** Where in the source the text is; empty for a whole file. */
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
  if (error?.type === 'TemplateSyntaxError') throw new UsageError(raiseText(placeOf(source), error))
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
