import { type GrammarLint, lintPattern, note, warning } from './lint-finding.ts'
import { MAX_DEPTH, isSchema } from './schema-values.ts'

/** Keywords of a schema that XGrammar reads in another way than JSON Schema, or not at all. */
export function* lintSchema(schema: unknown, path: string, depth = 0): Generator<GrammarLint> {
  if (!isSchema(schema) || depth > MAX_DEPTH) return
  const { pattern, allOf, oneOf } = schema
  const isObject = isSchema(schema['properties'])
  if (isObject && !('additionalProperties' in schema) && !('unevaluatedProperties' in schema))
    yield note(
      'unlisted-refused',
      path,
      'Keys that are not listed are refused, because additionalProperties is missing; JSON Schema allows them.',
    )
  if (typeof pattern === 'string' && !(pattern.startsWith('^') && pattern.endsWith('$')))
    yield warning(
      'pattern-anchored',
      path,
      `The pattern ${JSON.stringify(pattern.slice(0, 60))} must match the whole string; JSON Schema looks for it anywhere.`,
    )
  if (typeof pattern === 'string') yield* lintPattern(pattern, path)
  if (pattern !== undefined && ('minLength' in schema || 'maxLength' in schema || 'format' in schema))
    yield warning('conditions-ignored', path, 'Of format, pattern and length only the first is checked.')
  else if ('minLength' in schema || 'maxLength' in schema)
    yield note(
      'length-without-escapes',
      path,
      'A string with bounds on its length may hold no escapes, such as \\n or \\".',
    )
  if (Array.isArray(allOf) && allOf.length > 1)
    yield warning('all-of-ignored', path, 'allOf with several schemas accepts any value.')
  if (Array.isArray(oneOf)) yield note('one-of', path, 'oneOf is read as anyOf.')
  for (const key of ['not', 'if', 'uniqueItems', 'contains', 'dependentRequired', 'nullable'])
    if (key in schema) yield warning('keyword-ignored', path, `${key} is not checked.`)
  if (
    'multipleOf' in schema &&
    ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].some((key) => key in schema)
  )
    yield warning('keyword-ignored', path, 'multipleOf is not checked next to bounds.')
  for (const [key, value] of Object.entries(schema)) {
    if (['enum', 'const', 'default', 'examples'].includes(key)) continue
    if (['properties', '$defs', 'definitions', 'patternProperties'].includes(key) && isSchema(value))
      for (const [name, one] of Object.entries(value)) yield* lintSchema(one, `${path}.${key}.${name}`, depth + 1)
    else if (Array.isArray(value))
      for (const [index, one] of value.entries()) yield* lintSchema(one, `${path}.${key}[${index}]`, depth + 1)
    else yield* lintSchema(value, `${path}.${key}`, depth + 1)
  }
}
