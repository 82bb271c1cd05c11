import { InputError } from '@callspec/core'
import type { PyDict, PyValue } from '@callspec/python'
import { Raise } from '@callspec/python'
import type { ReadResult, ResponseTemplate, StreamStep, TemplateReader } from '@callspec/response-template'
import { eventData, loadTemplate, readReply, streamReply } from '@callspec/response-template'
import { anything, optionalText, text, texts } from './operation.ts'

/** The reader of each profile: a release of transformers reads as those before it until something changed. */
const READERS: ReadonlyMap<string, TemplateReader> = new Map([
  ['strict', 'transformers'],
  ['transformers@5.18.0', 'transformers'],
])

/** The profiles under which `responseTemplate` answers. */
export const TEMPLATE_PROFILES: readonly string[] = [...READERS.keys()]

/**
 * Reads a reply by the response template of the input: `template`, `text` or `chunks`, `prefix`, `tools`.
 *
 * @throws Raise where template or reply are refused
 */
export function responseTemplate(input: PyDict, profile: string): PyDict {
  const loaded = loadTemplate(anything(input, 'template'))
  if (loaded.kind === 'refused') throw raiseOf(loaded.fault)
  const reader = READERS.get(profile)
  if (reader === undefined) throw new InputError('profile', `has no reader of response templates: "${profile}".`)
  const settings = { prefix: optionalText(input, 'prefix'), tools: anything(input, 'tools'), reader }
  if (!input.has('chunks')) {
    return new Map([['message', messageOf(readReply(loaded.template, text(input, 'text'), settings))]])
  }
  return streamed(loaded.template, texts(input, 'chunks'), settings)
}

function streamed(
  template: ResponseTemplate,
  chunks: readonly string[],
  settings: Parameters<typeof streamReply>[1],
): PyDict {
  const stream = streamReply(template, settings)
  const events = [stepEvents(stream.initial), ...chunks.map((chunk) => stepEvents(stream.feed(chunk)))]
  const { step, result } = stream.end()
  return new Map<string, PyValue>([
    ['message', messageOf(result)],
    ['events', [...events, stepEvents(step)]],
  ])
}

function stepEvents(step: StreamStep): PyValue {
  if (step.kind === 'raised') throw raiseOf(step.fault)
  return step.events.map(eventData)
}

function messageOf(result: ReadResult): PyDict {
  if (result.kind === 'raised') throw raiseOf(result.fault)
  return result.message
}

function raiseOf({ type, message }: { readonly type: string; readonly message: string }): Raise {
  return new Raise(type, message)
}
