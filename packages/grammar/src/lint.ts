import { type GrammarKind, compileGrammar } from './accept.ts'
import { lintRules } from './lint-rules.ts'
import { lintSchema } from './lint-schema.ts'
import { type GrammarLint, lintPattern, note, warning } from './lint-finding.ts'
import { isSchema } from './schema-values.ts'

/** Finds the known traps of a grammar without any text. Never throws. */
export function lintGrammar(kind: GrammarKind, grammar: unknown): readonly GrammarLint[] {
  const result = compileGrammar(kind, grammar)
  if (!result.ok) return [{ id: 'unreadable', severity: 'error', where: '', message: result.error }]
  if (kind !== 'structural_tag') return lintRules(result.grammar.rules)
  const tag: unknown = typeof grammar === 'string' ? JSON.parse(grammar) : grammar
  const format = isSchema(tag) ? tag['format'] : null
  return [...lintFormat(format, 'format')]
}

function* lintFormat(format: unknown, path: string): Generator<GrammarLint> {
  if (!isSchema(format)) return
  const { type } = format
  if (type === 'json_schema' || type === 'qwen_xml_parameter') yield* lintArguments(format, path)
  if (
    type === 'or' &&
    Array.isArray(format['elements']) &&
    format['elements'].some((one) => isSchema(one) && one['type'] === 'any_text')
  )
    yield warning('any-text-in-or', path, 'Free text is one of the alternatives, so that a broken call passes as text.')
  if (type === 'regex' && typeof format['pattern'] === 'string') yield* lintPattern(format['pattern'], path)
  if (type === 'tag') yield* lintTag(format, path)
  if (type === 'tags_with_separator') yield* lintSeparator(format, path)
  if (type === 'any_text' && typeof format['max_tokens'] === 'number')
    yield note('max-tokens', path, 'max_tokens counts tokens: a text alone is not checked for it.')
  for (const [key, value] of Object.entries(format)) {
    if (key === 'json_schema') continue
    if (Array.isArray(value))
      for (const [index, one] of value.entries()) yield* lintFormat(one, `${path}.${key}[${index}]`)
    else yield* lintFormat(value, `${path}.${key}`)
  }
}

function* lintArguments(format: Readonly<Record<string, unknown>>, path: string): Generator<GrammarLint> {
  const schema = format['json_schema']
  const properties = isSchema(schema) && isSchema(schema['properties']) ? Object.keys(schema['properties']) : []
  if (format['any_order'] === true)
    yield warning(
      'required-not-checked',
      path,
      'any_order drops required and duplicates: only the number of entries is checked.',
    )
  else if (properties.length > 1)
    yield note('fixed-order', path, `Arguments must come in the order of the schema: ${properties.join(', ')}.`)
  if (typeof format['max_whitespace_cnt'] !== 'number')
    yield note(
      'white-space-loop',
      path,
      'White space has no limit, so that a model can write it without end. max_whitespace_cnt limits it.',
    )
  if (format['style'] === 'deepseek_xml')
    yield warning(
      'string-flag-free',
      path,
      'string="true|false" is not tied to the type: text passes as JSON, and JSON as text.',
    )
  if ((format['style'] ?? 'json') !== 'json' || format['type'] === 'qwen_xml_parameter')
    yield* lintElements(schema, path)
  yield* lintSchema(schema, `${path}.json_schema`)
}

// What XGrammar makes of values that are written as text.
function* lintElements(schema: unknown, path: string): Generator<GrammarLint> {
  const properties = isSchema(schema) && isSchema(schema['properties']) ? Object.entries(schema['properties']) : []
  for (const [name, value] of properties) {
    if (!isSchema(value)) continue
    const where = `${path}.json_schema.properties.${name}`
    if (value['type'] === 'array' && !('items' in value) && !('prefixItems' in value))
      yield warning('empty-list', where, 'A list without items may only be empty in an element.')
    if (value['type'] === 'string' && ['format', 'minLength', 'maxLength'].some((key) => key in value))
      yield warning(
        'text-without-end',
        where,
        'A string with a format or bounds on its length may hold the closing mark, unless XGrammar knows the format.',
      )
  }
}

function* lintTag(format: Readonly<Record<string, unknown>>, path: string): Generator<GrammarLint> {
  const { begin, end, content } = format
  const isStyled = isSchema(content) && content['type'] === 'json_schema' && (content['style'] ?? 'json') !== 'json'
  const schema = isStyled && isSchema(content['json_schema']) ? content['json_schema'] : null
  const hasNone = schema !== null && isSchema(schema['properties']) && Object.keys(schema['properties']).length === 0
  const ends = typeof end === 'string' ? [end] : Array.isArray(end) ? (end as unknown[]) : []
  if (hasNone && String(begin).endsWith('\n') && ends.every((one) => String(one).startsWith('\n')))
    yield warning(
      'empty-call',
      path,
      'A call without arguments needs two line feeds: begin ends with one, and end starts with another.',
    )
}

function* lintSeparator(format: Readonly<Record<string, unknown>>, path: string): Generator<GrammarLint> {
  const tags = Array.isArray(format['tags']) ? (format['tags'] as unknown[]) : []
  const doubles = tags.some((tag) => isSchema(tag) && String(tag['end']).endsWith('\n'))
  if (doubles && String(format['separator']).startsWith('\n'))
    yield warning(
      'blank-line',
      path,
      'Two calls need a blank line between them: the end of a tag and the separator both have a line feed.',
    )
}
