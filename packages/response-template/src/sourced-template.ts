import { isDict } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

/** What a file says about reading replies: a response template, the older schema, or nothing. */
export type SourcedTemplate =
  | { readonly kind: 'template'; readonly value: PyValue; readonly place: string }
  | { readonly kind: 'schema'; readonly value: PyDict; readonly place: string }
  | { readonly kind: 'none' }

/**
 * The response template of a file: the member `response_template` of a tokenizer's configuration, else its `response_schema`, else the
 * object itself. transformers takes an object for a template if it has `version` or `fields`.
 *
 * @param value the file's JSON, read without loss
 */
export function sourcedTemplate(value: PyValue): SourcedTemplate {
  if (!isDict(value)) return { kind: 'none' }
  const template = value.get('response_template')
  if (template !== undefined && template !== null)
    return { kind: 'template', value: template, place: 'response_template' }
  const schema = value.get('response_schema')
  if (isDict(schema)) return { kind: 'schema', value: schema, place: 'response_schema' }
  if (value.has('fields') || value.has('version')) return { kind: 'template', value, place: '' }
  const isSchema = ['x-regex', 'x-regex-iterator', 'x-regex-key-value', 'x-parser', 'properties'].some((key) =>
    value.has(key),
  )
  return isSchema ? { kind: 'schema', value, place: '' } : { kind: 'none' }
}
