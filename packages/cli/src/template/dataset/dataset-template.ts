import { FORMATS } from '@callspec/core'
import type { Format } from '@callspec/core'
import { compileTemplate } from '@callspec/template'
import type { Rendering } from '@callspec/template'
import { callProbe, USUAL, variablesOf } from '@callspec/template/lint'
import { fromPlain, isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { checkCalls } from '../check/check-calls.ts'
import { allVariables } from '../render/variables.ts'
import type { VariableSettings } from '../render/variables.ts'
import type { TextSource } from '../source/template-source.ts'
import type { Sample } from './sample.ts'

/** A template as a data set is checked by it. */
export interface DatasetTemplate {
  /** Renders the first messages of a sample. */
  render(sample: Sample, view: { readonly messages: readonly PyValue[]; readonly generationPrompt: boolean }): Rendering
  /** What stands behind each thing that the model said; null where it cannot be told. */
  readonly turnEnd: string | null
  /** Formats to read replies with, the likeliest first. */
  readonly formats: readonly Format[]
}

/** Finds out how the template ends turns, and which formats read the calls that it writes. */
export async function createDatasetTemplate(
  { template, tokens }: TextSource,
  { forced, now }: VariableSettings,
  format: Format | null,
): Promise<DatasetTemplate> {
  const compiled = compileTemplate(template)
  const render: DatasetTemplate['render'] = ({ tools, variables }, { messages, generationPrompt }) => {
    const given = new Map<string, PyValue>([
      ['messages', messages],
      ['tools', tools],
      ['add_generation_prompt', generationPrompt],
      ...variables,
    ])
    return compiled.render(allVariables(given, { tokens, forced }), { now })
  }
  const formats = format === null ? await readingFormats(render) : [format]
  return { render, turnEnd: turnEndOf(render), formats }
}

const SAID = 'SAIDQZ'

function turnEndOf(render: DatasetTemplate['render']): string | null {
  const messages = [message('user', 'Hello.'), message('assistant', SAID)]
  const shown = render(sampleOf(messages, null), { messages, generationPrompt: false })
  if (shown.kind === 'raised') return null
  const at = shown.text.lastIndexOf(SAID)
  const end = at === -1 ? '' : shown.text.slice(at + SAID.length).trim()
  return end === '' ? null : end
}

/** Those that read back a call of the template first. */
async function readingFormats(render: DatasetTemplate['render']): Promise<readonly Format[]> {
  const variables = fromPlain(variablesOf(callProbe(USUAL)))
  if (!isDict(variables)) return FORMATS
  const ranked: { readonly format: Format; readonly fits: boolean }[] = []
  for (const format of FORMATS) {
    const renderFor = () => (messages: readonly PyValue[], generationPrompt: boolean) => {
      const shown = render(sampleOf([], variables.get('tools') ?? null), { messages, generationPrompt })
      return Promise.resolve(shown.kind === 'rendered' ? shown.text : null)
    }
    const { read, deviations } = await checkCalls(format, [{ id: 'call', variables, now: null }], renderFor)
    ranked.push({ format, fits: read > 0 && deviations.length === 0 })
  }
  return [...ranked.filter(({ fits }) => fits), ...ranked.filter(({ fits }) => !fits)].map((each) => each.format)
}

function message(role: string, content: string): PyDict {
  return new Map([
    ['role', role],
    ['content', content],
  ])
}

function sampleOf(messages: readonly PyDict[], tools: PyValue): Sample {
  return { where: '', messages, tools: isList(tools) ? tools : null, variables: new Map() }
}
