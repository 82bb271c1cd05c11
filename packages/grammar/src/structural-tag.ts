import { readEbnf } from './ebnf.ts'
import {
  ANY_CHARACTERS,
  type Expression,
  GrammarError,
  type Rules,
  choice,
  literal,
  optional,
  repeat,
  sequence,
} from './expression.ts'
import { readSchema } from './json-schema.ts'
import { readRegex } from './regex.ts'
import { ELEMENT_STYLES, type ElementStyle } from './schema-elements.ts'
import { readTags } from './tag-lists.ts'
import {
  type Format,
  type Surroundings,
  countMember,
  flagMember,
  isFormat,
  listMember,
  stringMember,
  stringsMember,
} from './tag-members.ts'

/** Nesting of formats that is read. */
const MAX_NESTING = 100

/** Formats that need a vocabulary: they match tokens, and a text alone has none. */
const TOKEN_FORMATS: ReadonlySet<string> = new Set([
  'token',
  'exclude_token',
  'any_tokens',
  'token_triggered_tags',
  'token_dispatch',
])

/**
 * Reads a structural tag (`{"type": "structural_tag", "format": …}`, or the older `{"structures": …, "triggers": …}`) into rules.
 * Throws `GrammarError` with the path of the format that is wrong, and for formats that match tokens.
 */
export function readStructuralTag(tag: unknown): Rules {
  const value = typeof tag === 'string' ? parseTag(tag) : tag
  if (!isFormat(value)) throw new GrammarError('A structural tag must be an object with "format".')
  const format = Array.isArray(value['structures'])
    ? legacyFormat(value, value['structures'] as unknown[])
    : value['format']
  const rules = new Map<string, Expression>()
  const root = readFormat({ rules, grammars: 0 }, format, { path: 'format', ends: [], depth: 0 })
  rules.set('root', root)
  return { root: 'root', rules }
}

function parseTag(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new GrammarError('The structural tag is not JSON.')
  }
}

/** What reading shares: the rules so far, and how many grammars were embedded. */
export type TagReader = { readonly rules: Map<string, Expression>; grammars: number }

function readFormat(reader: TagReader, format: unknown, around: Surroundings): Expression {
  const { path, depth } = around
  if (!isFormat(format)) throw new GrammarError(`${path} must be an object with "type".`)
  if (depth > MAX_NESTING) throw new GrammarError(`${path} is nested more than ${MAX_NESTING} deep.`)
  const type =
    typeof format['type'] === 'string' ? format['type'] : format['type'] === undefined ? guessType(format) : ''
  const inner = (content: unknown, name: string, ends = around.ends): Expression =>
    readFormat(reader, content, { path: `${path}.${name}`, ends, depth: depth + 1 })
  switch (type) {
    case 'const_string':
      return literal(stringMember(format, 'value', path))
    case 'json_schema':
    case 'qwen_xml_parameter':
      return readJsonSchema(reader, format, type, path)
    case 'regex':
      return readRegex(stringMember(format, 'pattern', path))
    case 'grammar':
      return embedGrammar(reader, stringMember(format, 'grammar', path))
    case 'any_text':
      return anyText(format, around)
    case 'sequence':
      return sequence(...listMember(format, 'elements', path).map((one, index) => inner(one, `elements[${index}]`)))
    case 'or':
      return choice(...listMember(format, 'elements', path).map((one, index) => inner(one, `elements[${index}]`)))
    case 'optional':
      return optional(inner(format['content'], 'content'))
    case 'plus':
      return repeat(inner(format['content'], 'content'), 1, null)
    case 'star':
      return repeat(inner(format['content'], 'content'), 0, null)
    case 'repeat':
      return readRepeat(format, path, inner(format['content'], 'content'))
    case 'tag':
    case 'triggered_tags':
    case 'tags_with_separator':
    case 'dispatch':
      return readTags(type, format, around, inner)
    default:
      if (TOKEN_FORMATS.has(type))
        throw new GrammarError(
          `${path} has the type ${type}, which matches tokens: a text alone cannot be compared with it.`,
        )
      throw new GrammarError(`${path} has the unknown type ${JSON.stringify(type).slice(0, 60)}.`)
  }
}

// As XGrammar does where `type` is missing.
function guessType(format: Format): string {
  const guesses: readonly (readonly [string, string])[] = [
    ['value', 'const_string'],
    ['json_schema', 'json_schema'],
    ['pattern', 'regex'],
    ['grammar', 'grammar'],
    ['triggers', 'triggered_tags'],
    ['separator', 'tags_with_separator'],
    ['begin', 'tag'],
    ['rules', 'dispatch'],
    ['elements', 'sequence'],
  ]
  return guesses.find(([member]) => member in format)?.[1] ?? ''
}

function readJsonSchema(reader: TagReader, format: Format, type: string, path: string): Expression {
  const style = type === 'json_schema' ? (format['style'] ?? 'json') : 'qwen_xml'
  const known = ['json', ...ELEMENT_STYLES] as readonly unknown[]
  if (!known.includes(style)) throw new GrammarError(`${path}.style must be one of ${known.join(', ')}.`)
  const most = countMember(format, 'max_whitespace_cnt', path)
  if (most === 0) throw new GrammarError(`${path}.max_whitespace_cnt must be above 0.`)
  const schema = format['json_schema']
  if (schema === undefined) throw new GrammarError(`${path}.json_schema is missing.`)
  const anyOrder = flagMember(format, 'any_order', path, false)
  try {
    return readSchema(schema, { style: style as 'json' | ElementStyle, anyOrder, maxWhitespace: most }, reader.rules)
  } catch (error) {
    if (error instanceof GrammarError) throw new GrammarError(`${path}.json_schema: ${error.message}`)
    throw error
  }
}

// The rules of an embedded grammar get names of their own.
function embedGrammar(reader: TagReader, text: string): Expression {
  const { root, rules } = readEbnf(text, 'xgrammar')
  reader.grammars += 1
  const prefix = `grammar-${reader.grammars}-`
  for (const [name, body] of rules) reader.rules.set(prefix + name, renamed(body, prefix))
  return { kind: 'rule', name: prefix + root }
}

function renamed(expression: Expression, prefix: string): Expression {
  switch (expression.kind) {
    case 'rule':
      return { kind: 'rule', name: prefix + expression.name }
    case 'sequence':
    case 'choice':
      return { ...expression, items: expression.items.map((item) => renamed(item, prefix)) }
    case 'repeat':
      return { ...expression, item: renamed(expression.item, prefix) }
    default:
      return expression
  }
}

function anyText(format: Format, { path, ends }: Surroundings): Expression {
  const excludes = [...new Set([...stringsMember(format, 'excludes', path), ...ends])]
  const max = countMember(format, 'max_chars', path)
  if (excludes.length === 0 && max === null) return ANY_CHARACTERS
  return { kind: 'free', excludes, dispatch: [], loop: false, max }
}

function readRepeat(format: Format, path: string, content: Expression): Expression {
  const { min, max } = format
  if (typeof min !== 'number' || !Number.isInteger(min) || min < 0)
    throw new GrammarError(`${path}.min must be a whole number that is not negative.`)
  if (typeof max !== 'number' || !Number.isInteger(max) || max < -1)
    throw new GrammarError(`${path}.max must be a whole number, or -1.`)
  if (max !== -1 && min > max) throw new GrammarError(`${path}: min ${min} is above max ${max}.`)
  return repeat(content, min, max === -1 ? null : max)
}

function legacyFormat(tag: Format, structures: readonly unknown[]): Format {
  const tags = structures.filter(isFormat).map((one) => ({
    type: 'tag',
    begin: one['begin'],
    content: { type: 'json_schema', json_schema: one['schema'] ?? {} },
    end: one['end'],
  }))
  return { type: 'triggered_tags', triggers: tag['triggers'], tags }
}
