import { NO_RESPONSE_TEMPLATE, RESPONSE_TEMPLATES } from '@callspec/core/response-templates'
import { dumps, fromPlain, isDict } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import type { TemplateReader } from '../template/cast.ts'

/** A format as a response template, or why it is none. */
export type ExportedTemplate =
  | {
      readonly kind: 'exported'
      readonly template: PyDict
      /** What the template reads otherwise than the format does. */
      readonly limits: readonly string[]
    }
  | { readonly kind: 'not-possible'; readonly reason: string }
  | { readonly kind: 'not-written' }

const LIMITS: readonly string[] = [
  'A region ends at the first closer, also inside of a string.',
  'A call of a tool that was not offered is a call.',
  'Texts that look like another type of the schema become it: tools type them.',
]

const WITHOUT_JOIN =
  'vLLM refuses join: of several texts or thoughts a whole message keeps the last. vLLM streams them all.'

/**
 * The response template of a format.
 *
 * @param target who reads it: vLLM takes no `join` in content and thinking, so it is left out
 */
export function exportTemplate(format: string, target: TemplateReader = 'transformers'): ExportedTemplate {
  const reason = Object.hasOwn(NO_RESPONSE_TEMPLATE, format) ? NO_RESPONSE_TEMPLATE[format] : undefined
  if (reason !== undefined) return { kind: 'not-possible', reason }
  const plain = Object.hasOwn(RESPONSE_TEMPLATES, format) ? RESPONSE_TEMPLATES[format] : undefined
  if (plain === undefined) return { kind: 'not-written' }
  const template = fromPlain(plain)
  if (!isDict(template)) return { kind: 'not-written' }
  if (target === 'transformers') return { kind: 'exported', template, limits: LIMITS }
  const forVllm = withoutJoins(template)
  const isSame = dumps(forVllm) === dumps(template)
  return { kind: 'exported', template: forVllm, limits: isSame ? LIMITS : [...LIMITS, WITHOUT_JOIN] }
}

/** The formats that have a response template. */
export const EXPORTED_FORMATS: readonly string[] = Object.keys(RESPONSE_TEMPLATES)

function withoutJoins(template: PyDict): PyDict {
  const fields = template.get('fields') ?? null
  if (!isDict(fields)) return template
  const changed = Array.from(fields, ([name, field]) => {
    if (!isDict(field) || !field.has('join')) return [name, field] as const
    const members = Array.from(field).filter(([key]) => key !== 'join' && key !== 'repeats')
    return [name, new Map<string, PyValue>(members)] as const
  })
  return new Map<string, PyValue>([...template, ['fields', new Map(changed)]])
}
