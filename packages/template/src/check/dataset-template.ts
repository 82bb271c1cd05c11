import { FORMATS } from '@callspec/core'
import type { Format } from '@callspec/core'
import { fromPlain, isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { callProbe, USUAL, variablesOf } from '../lint/index.ts'
import { variablesWithDefaults } from '../source/renderer.ts'
import type { VariableSettings } from '../source/renderer.ts'
import type { TextSource } from '../source/template-source.ts'
import { compileTemplate } from '../template.ts'
import type { Rendering } from '../template.ts'
import { checkCalls } from './check-format.ts'
import type { Sample } from './sample.ts'

/** A template that checks a data set. */
export interface DatasetTemplate {
  /** Renders the first messages of a sample. */
  render(sample: Sample, view: { readonly messages: readonly PyValue[]; readonly generationPrompt: boolean }): Rendering
  /** The text after each message of the model; null if it cannot be found out. */
  readonly turnEnd: string | null
  /** Formats to read replies with, the most likely first. */
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
    return compiled.render(variablesWithDefaults(given, { tokens, forced }), { now })
  }
  const formats = format === null ? await readingFormats(render) : [format]
  return { render, turnEnd: turnEndOf(render), formats }
}

const ANSWER = 'SAIDQZ'

function turnEndOf(render: DatasetTemplate['render']): string | null {
  const messages = [messageWith('user', 'Hello.'), messageWith('assistant', ANSWER)]
  const shown = render(sampleOf(messages, null), { messages, generationPrompt: false })
  if (shown.kind === 'raised') return null
  const at = shown.text.lastIndexOf(ANSWER)
  const end = at === -1 ? '' : shown.text.slice(at + ANSWER.length).trim()
  return end === '' ? null : end
}

/** All formats, those that read back a call of the template first. */
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

function messageWith(role: string, content: string): PyDict {
  return new Map([
    ['role', role],
    ['content', content],
  ])
}

function sampleOf(messages: readonly PyDict[], tools: PyValue): Sample {
  return { where: '', messages, tools: isList(tools) ? tools : null, variables: new Map() }
}
