import { FORMATS } from '@callspec/core'
import { modelAliases } from '@callspec/core/identify'
import { wrapHanging, wrapItems, wrapWords } from '../eval/wrap-items.ts'
import type { Output } from '../output.ts'
import { renderTable } from '../table.ts'
import { servedFormat } from './print-model.ts'

/** Every format as JSON. */
export function formatsJson(): object {
  return {
    formats: FORMATS.map(({ id, about, prompt, versions }) => ({
      ...servedFormat(id),
      models: about.models,
      prompt: prompt !== null,
      versions,
    })),
    models: modelAliases().map(({ title, formats, lacks }) => ({ title, formats, notCovered: lacks ?? null })),
  }
}

/** Prints every format, with the models that speak it and what engines call it. */
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
