import { createHash } from 'node:crypto'
import { compileTemplate } from '@callspec/template'
import { lintRenderer, lintTemplate, variablesOf } from '@callspec/template/lint'
import type { LintOptions, LintReport, Probe } from '@callspec/template/lint'
import type { Rendering } from '@callspec/template'
import { sentence } from '../../sentence.ts'
import { UsageError } from '../../usage-error.ts'
import { placeOf, raiseText } from '../render/renderer.ts'
import type { ServerSource, TemplateSource, TextSource } from '../source/template-source.ts'

/** What the lint says of one source. */
export interface LintedSource {
  readonly name: string
  /** Where in the source the text stands; empty for a whole file. */
  readonly place: string
  /** Of the template's text; null for a server that does not show it. */
  readonly sha256: string | null
  readonly report: LintReport
}

/**
 * Lints a template, or what can be seen of it through a server.
 *
 * @throws UsageError for a template that cannot be read, and for a server that shows no prompts
 */
export async function lintSource(source: TemplateSource, options: LintOptions): Promise<LintedSource> {
  if (source.kind === 'text') return lintText(source, options)
  const report = await lintRenderer((probe) => ask(source, probe), options)
  return { name: source.name, place: '/apply-template', sha256: null, report }
}

/** The sum by which a text is known, also where its name is not. */
function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function lintText(source: TextSource, options: LintOptions): LintedSource {
  const { error } = compileTemplate(source.template)
  if (error?.type === 'TemplateSyntaxError') throw new UsageError(raiseText(placeOf(source), error))
  const { name, place, template, tokens, specials } = source
  const known = Object.keys(tokens).length === 0 ? {} : { tokens }
  const report = lintTemplate({ source: template, ...known, specials }, options)
  return { name, place, sha256: sha256Of(template), report }
}

async function ask({ server, name }: ServerSource, probe: Probe): Promise<Rendering> {
  if (server.view === 'token-counts')
    throw new UsageError(
      `${name}: shows only how many tokens a prompt has: give the template's file. callspec doctor says what the numbers tell.`,
    )
  const { messages, tools, add_generation_prompt, ...further } = variablesOf(probe)
  const request = {
    messages,
    ...(tools === null ? {} : { tools }),
    add_generation_prompt,
    ...(Object.keys(further).length === 0 ? {} : { chat_template_kwargs: further }),
  }
  const answer = await server.applyTemplate(JSON.stringify(request))
  if (answer.kind !== 'failed') return answer
  throw new UsageError(`${name}: /apply-template gave no prompt: ${sentence(answer.reason)}`)
}
