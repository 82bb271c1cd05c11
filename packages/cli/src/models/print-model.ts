import { FORMATS } from '@callspec/core'
import { modelAliases } from '@callspec/core/identify'
import { servedFormat, servedModel } from '@callspec/inspect'
import type { ModelAnswer, ServedFormat, ServedModel } from '@callspec/inspect'
import { wrapHanging, wrapItems, wrapWords } from '../columns.ts'
import type { Output } from '../output.ts'
import { inert, visibleWhiteSpace } from '../output.ts'
import { renderTable } from '../table.ts'

export function modelJson(model: string, { formats, sure, evidence, lacks }: ModelAnswer): object {
  return {
    model,
    formats: servedModel({ formats, evidence }),
    sure,
    because: evidence.map(({ by, formats: ids, says }) => ({ by, formats: ids, says })),
    notCovered: lacks,
  }
}

export function printModel({ formats, sure, evidence, lacks }: ModelAnswer, output: Output): void {
  const head = formats.length === 0 ? knownTitle(evidence) : `${formats.join(' or ')} (${sure})`
  output.line(output.paint('bold', head))
  for (const { says } of evidence) printIndented(`because ${says}`, output)
  if (lacks !== null) printIndented(`not covered: ${lacks}`, output)
  for (const served of servedModel({ formats, evidence })) {
    output.line()
    if (formats.length > 1) output.line(served.id)
    for (const line of [...promptLines(served, lacks), ...servedLines(served)]) output.line(line)
  }
}

/** How a model is prompted whose name is known. */
function promptLines({ version, template }: ServedModel, lacks: string | null): readonly string[] {
  if (version === undefined) return []
  const compared = lacks === null ? 'compared with its chat template' : 'its chat template was at hand'
  return [
    `  version ${version}`,
    `  prompt  ${template === true ? compared : 'not compared: its chat template was not at hand'}`,
  ]
}

/** Engine parsers of a format, and where its replies end. */
export function servedLines({ vllm, sglang, stops }: ServedFormat): readonly string[] {
  return [
    `  vLLM    ${parserText(vllm)}`,
    `  SGLang  ${parserText(sglang)}`,
    `  stops   ${stops.map((stop) => visibleWhiteSpace(stop)).join('  ')}`,
  ]
}

function parserText([first, ...others]: readonly string[]): string {
  if (first === undefined) return 'no parser is known'
  return `--tool-call-parser ${first}${others.length === 0 ? '' : ` (also ${others.join(', ')})`}`
}

function knownTitle(evidence: ModelAnswer['evidence']): string {
  const known = evidence.find(({ title }) => title !== undefined)
  return known === undefined ? 'unknown' : 'known, not read'
}

function printIndented(text: string, output: Output): void {
  for (const line of wrapHanging(inert(text), 2, output)) output.line(line)
}

export function formatsJson(): object {
  return {
    formats: FORMATS.map(({ id, about, prompt, versions }) => ({
      ...servedFormat(id),
      models: about.models,
      prompt: prompt !== null,
      versions,
    })),
    models: modelAliases().map(({ title, formats, version, lacks, servedAs, hasTemplate, source }) => ({
      ...{ title, formats, version: formats.length === 0 ? null : (version ?? 'strict') },
      ...{ notCovered: lacks ?? null, template: hasTemplate, source },
      ...(servedAs === undefined ? {} : { vllm: servedAs.vllm ?? [], sglang: servedAs.sglang ?? [] }),
    })),
  }
}

export function printFormats(output: Output): void {
  const rows = FORMATS.map(({ id, about, prompt }) => {
    const { vllm, sglang } = servedFormat(id)
    return [prompt === null ? `${id} *` : id, about.models, vllm[0] ?? '-', sglang[0] ?? '-']
  })
  output.line(
    renderTable({
      head: ['format', 'models', 'vLLM', 'SGLang'],
      rows,
      ascii: !output.isTerminal,
      width: output.wrapAt,
    }),
  )
  for (const line of wrapWords(
    'vLLM, SGLang: --tool-call-parser. *: read and written; callspec has no prompt for it.',
    output,
  ))
    output.line(line)
  output.line()
  const aliases = modelAliases()
  const unread = aliases.filter(({ formats }) => formats.length === 0).map(({ title }) => title)
  for (const line of wrapItems('known, not read: ', unread, output)) output.line(line)
  for (const { title, formats, lacks } of aliases.filter((each) => each.formats.length > 0))
    for (const line of wrapHanging(`${title}: ${formats.join(', ')}. ${lacks ?? ''}`.trim(), 0, output))
      output.line(line)
}
