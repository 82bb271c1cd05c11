import type { Format } from '@callspec/core'
import { grammarParts } from '@callspec/core/grammar'
import { type Expression, choice, literal, optional, sequence } from '../expression.ts'
import type { GrammarTool } from '../sample-calls.ts'
import { OTHER_NAME, otherName } from '../schema-elements.ts'
import { membersOf } from '../schema-object.ts'
import { isSchema, objectParts } from '../schema-values.ts'
import { callText } from './call-spelling.ts'
import { type ElementSpelling, type ValueKind, closeOf } from './element-spelling.ts'
import { type SchemaForm, type Unenforced, portablePattern, portableSchema, schemaForms } from './portable-schema.ts'
import { XGRAMMAR_STYLE } from './ebnf-style.ts'
import { printEbnf } from './print-ebnf.ts'
import type { ReplySpelling } from './reply-spelling.ts'
import {
  type TagFormat,
  anyOf,
  anyTimes,
  constText,
  freeText,
  inSequence,
  jsonText,
  marked,
  maybe,
  regexText,
} from './tag-parts.ts'
import {
  type ValueRules,
  type ValueSpelling,
  inOrders,
  ruleAdder,
  startValueRules,
  valueExpression,
} from './value-spelling.ts'
import { readProbe } from './writer-probe.ts'

/** What arguments are made of. */
export type ArgumentUse = {
  readonly format: Format
  readonly reply: ReplySpelling
  readonly elements: ElementSpelling
  readonly values: ValueSpelling
  readonly tool: GrammarTool
  readonly unenforced: Unenforced[]
}

/** The arguments of a tool as JSON. */
export function jsonArguments({ name, parameters }: GrammarTool, unenforced: Unenforced[]): TagFormat {
  const isTyped = isSchema(parameters) && ['type', '$ref', 'anyOf', 'oneOf', 'allOf'].some((key) => key in parameters)
  const schema = isTyped ? parameters : { ...(isSchema(parameters) ? parameters : {}), type: 'object' }
  const ported = portableSchema(schema, { root: schema, path: name })
  unenforced.push(...ported.unenforced)
  return jsonText(ported.schema)
}

/** The arguments of a tool as elements: in the order of the schema, then those that it does not declare. */
export function elementArguments(use: ArgumentUse): TagFormat {
  const { tool, elements, unenforced } = use
  const object = schemaForms(tool.parameters, tool.parameters).find(
    (form) => form.kind === 'typed' && form.type === 'object',
  )
  const schema = object?.kind === 'typed' ? object.schema : { type: 'object' }
  const parts = objectParts(schema)
  const declared = parts === 'any' ? [] : parts.declared.filter((one) => one.schema !== false)
  const additional: unknown = parts === 'any' ? true : parts.additional
  if (parts !== 'any' && (parts.min > 0 || parts.max !== null))
    unenforced.push({ path: tool.name, keyword: 'minProperties, maxProperties' })
  if (elements.between !== '' || elements.nested) return joinedElements(use, { declared, additional })
  const known = declared.map((one) => {
    const element = anyOf(...elementForms(use, one.name, one.schema))
    return { name: one.name, element: one.isRequired ? element : maybe(element) }
  })
  const names = declared.map(({ name }) => name)
  const others = additional === null ? [] : [anyTimes(otherElement(use, names, additional))]
  return anyOf(...inOrders(use.values, known).map((one) => inSequence(...one.map(({ element }) => element), ...others)))
}

type Declared = readonly { readonly name: string; readonly schema: unknown; readonly isRequired: boolean }[]

// Elements with something between them: one grammar, since every element may be the first. Elements in elements, too; an element that is
// named where it ends cannot have a name that is not known.
function joinedElements(
  { elements, values, tool, unenforced }: ArgumentUse,
  { declared, additional }: { readonly declared: Declared; readonly additional: unknown },
): TagFormat {
  const rules = startValueRules(tool.parameters)
  const { open, between } = elements
  const entry = (key: Expression, schema: unknown, close: string): Expression =>
    sequence(
      literal(open),
      key,
      literal(elements.middle.integer),
      valueExpression(values, schema, rules),
      literal(close),
    )
  const other = declared.length === 0 ? OTHER_NAME : otherName(declared.map(({ name }) => name))
  const entries = declared.map((one) => ({
    ...one,
    entry: entry(literal(one.name), one.schema, closeOf(elements, one.name)),
  }))
  for (const { name, schema } of declared) noteText({ tool, unenforced }, schema, `${tool.name}.${name}`)
  const isOpen = additional !== null && elements.nested === null
  // Only one: of two with one name Python's parser makes an error.
  const others = isOpen ? [{ entry: entry(other, additional, closeOf(elements, '')), isRequired: false }] : []
  const separated = { additional: null, separator: literal(between), min: 0, max: null, anyOrder: false }
  const orders = inOrders(values, entries).map((one) =>
    membersOf({ ...separated, declared: [...one, ...others] }, ruleAdder(rules)),
  )
  const some = choice(...orders.flatMap((one) => (one.some === null ? [] : [one.some])))
  noteRepeats({ values, tool, unenforced }, rules)
  if (orders.every((one) => one.some === null)) return constText('')
  return asGrammar(orders.some(({ mayBeEmpty }) => mayBeEmpty) ? optional(some) : some, rules)
}

// What values that are not JSON do not enforce: conditions of JSON, and those of texts.
function noteText({ tool, unenforced }: Pick<ArgumentUse, 'tool' | 'unenforced'>, schema: unknown, path: string): void {
  const ported = portableSchema(schema, { root: tool.parameters, path })
  unenforced.push(...ported.unenforced, ...textConditions(ported.schema, path))
}

function textConditions(schema: unknown, path: string): readonly Unenforced[] {
  if (Array.isArray(schema)) return schema.flatMap((one, index) => textConditions(one, `${path}[${index}]`))
  if (!isSchema(schema)) return []
  const own = TEXT_CONDITIONS.filter((key) => key in schema && schema['type'] === 'string')
  const inner = ['items', 'prefixItems', 'additionalProperties', 'anyOf'].flatMap((key) =>
    textConditions(schema[key], `${path}.${key}`),
  )
  const named = [schema['properties'], schema['$defs']].flatMap((all) =>
    isSchema(all) ? Object.entries(all).flatMap(([key, one]) => textConditions(one, `${path}.${key}`)) : [],
  )
  return [...own.map((keyword) => ({ path, keyword })), ...inner, ...named]
}

const TEXT_CONDITIONS = ['pattern', 'minLength', 'maxLength'] as const

function noteRepeats(
  { values, tool, unenforced }: Pick<ArgumentUse, 'values' | 'tool' | 'unenforced'>,
  { hasOpenObjects }: ValueRules,
): void {
  if (hasOpenObjects && values.refusesRepeats)
    unenforced.push({ path: tool.name, keyword: 'that an object has each key once' })
}

function asGrammar(root: Expression, { rules }: ValueRules): TagFormat {
  return {
    type: 'grammar',
    grammar: printEbnf({ root: ' root', rules: new Map([[' root', root], ...rules]) }, XGRAMMAR_STYLE),
  }
}

/** The elements that an argument may be, one for each way to fit its schema. */
function elementForms(use: ArgumentUse, key: string, schema: unknown): readonly TagFormat[] {
  return schemaForms(schema, use.tool.parameters).flatMap((form): readonly TagFormat[] => {
    if (form.kind === 'constant') return [constText(writtenElement(use, key, form.value))]
    return typedForms(use, form, { path: `${use.tool.name}.${key}` }).map(({ middle, value, close }) =>
      inSequence(marked(`${use.elements.open}${key}${middle}`, value, close)),
    )
  })
}

// An argument that the schema does not declare.
function otherElement(use: ArgumentUse, names: readonly string[], schema: unknown): TagFormat {
  const { elements, tool } = use
  const rules = startValueRules(schema)
  const key = asGrammar(names.length === 0 ? OTHER_NAME : otherName(names), rules)
  const forms = schemaForms(schema, tool.parameters).flatMap((form) =>
    form.kind === 'constant'
      ? []
      : typedForms(use, form, { path: `${tool.name}.*` }).map(({ middle, value, close }) =>
          marked(middle, value, close),
        ),
  )
  return inSequence(constText(elements.open), key, anyOf(...forms))
}

/** An element as the writer writes it. */
function writtenElement({ format, reply, elements, tool }: ArgumentUse, key: string, value: unknown): string {
  const text = callText(format, reply, { name: tool.name, given: { [key]: value } })
  const empty = callText(format, reply, { name: tool.name, given: { [key]: 8675309 } })
  const start = empty.lastIndexOf(`${elements.open}${key}${elements.middle.integer}8675309`)
  return text.slice(start, text.length - elements.end.length)
}

type ElementForm = { readonly middle: string; readonly value: TagFormat; readonly close: string }

function typedForms(
  use: ArgumentUse,
  { type, schema }: SchemaForm & { kind: 'typed' },
  { path }: { readonly path: string },
): readonly ElementForm[] {
  const { elements, values, tool, unenforced } = use
  const form = (kind: ValueKind, value: TagFormat): ElementForm => ({
    middle: elements.middle[kind],
    value,
    close: closeOf(elements, ''),
  })
  const json = (as: string): TagFormat => {
    const ported = portableSchema({ ...schema, type: as }, { root: tool.parameters, path })
    unenforced.push(...ported.unenforced)
    return jsonText(ported.schema)
  }
  switch (type) {
    case 'string':
      return [{ middle: elements.middle.string, ...rawString(use, schema, path) }]
    case 'boolean':
      return [form('boolean', anyOf(...booleanTexts(use).map(constText)))]
    case 'null':
      return [form('null', constText(values.isJson ? writtenNull(use) : values.spell(null)))]
    case 'integer':
    case 'number':
      if (elements.middle.integer === elements.middle.number) return [form(type, json(type))]
      // Where the type is written, a number without a fraction may be called an integer, and an integer a number.
      return [form('integer', json('integer')), form('number', json(type))]
    default: {
      if (values.isJson) return [form(type, json(type))]
      const rules = startValueRules(tool.parameters)
      const value = valueExpression(values, { ...schema, type }, rules)
      noteText(use, { ...schema, type }, path)
      noteRepeats(use, rules)
      return [form(type, asGrammar(value, rules))]
    }
  }
}

// A string up to the mark that ends it. White space before the mark is part of the text: XGrammar does not see a mark to exclude within a
// longer one that ends the text.
function rawString(
  { format, elements, unenforced }: ArgumentUse,
  schema: Readonly<Record<string, unknown>>,
  path: string,
): { readonly value: TagFormat; readonly close: string } {
  const ends = valueMarks(format, elements)
  const whole = elements.stringClose + closeOf(elements, '')
  const drop = (keyword: string): void => void unenforced.push({ path, keyword })
  if (typeof schema['format'] === 'string') drop('format')
  if (typeof schema['minLength'] === 'number' && schema['minLength'] > 0) drop('minLength')
  if (typeof schema['maxLength'] === 'number') drop('maxLength')
  if (typeof schema['pattern'] === 'string') {
    const [first = whole] = ends
    const pattern = portablePattern(schema['pattern'], { without: first })
    if (pattern !== null) return { value: regexText(pattern), close: whole }
    drop('pattern')
  }
  const [first = ''] = ends
  const at = Math.max(0, whole.indexOf(first))
  const close = whole.slice(0, at).trim() === '' ? whole.slice(at) : whole
  return { value: freeText(ends), close }
}

// The marks at which the reader ends a value, and white space of the writer does not count.
function valueMarks(format: Format, elements: ElementSpelling): readonly string[] {
  const { stringClose } = elements
  const close = closeOf(elements, '')
  if (stringClose !== '') return [stringClose]
  const states = Object.values(grammarParts(format)?.grammar.states ?? {})
  const marks = states.flatMap((state) => (state.kind === 'value' ? Object.keys(state.transitions) : []))
  const known = marks.filter((mark) => close.includes(mark))
  return known.length > 0 ? known : [close.trim() === '' ? close : close.trim()]
}

function booleanTexts(use: ArgumentUse): readonly string[] {
  const key = 'zqflag'
  const { format, reply, elements } = use
  const whole = (text: string): string => reply.lead + reply.section.open + text + reply.section.close
  const element = (value: boolean): string => callText(format, reply, { name: 'zqone', given: { [key]: value } })
  const tools = [{ name: 'zqone', parameters: { type: 'object', properties: { [key]: { type: 'boolean' } } } }]
  return [true, false].flatMap((value) => {
    const written = element(value)
    const start = elements.lead.length + `${elements.open}${key}${elements.middle.boolean}`.length
    const text = written.slice(start, written.length - (closeOf(elements, key) + elements.end).length)
    const other = [text.toLowerCase(), text.charAt(0).toUpperCase() + text.slice(1)].find((one) => one !== text) ?? text
    const changed = written.slice(0, start) + other + written.slice(start + text.length)
    const isRead =
      (readProbe(format, whole(changed), tools)?.[0]?.arguments as Record<string, unknown> | undefined)?.[key] === value
    // The other spelling is for templates that write Python's, and for models that do not.
    return isRead && text !== text.toLowerCase() ? [text, other] : [text]
  })
}

function writtenNull({ format, reply, elements }: ArgumentUse): string {
  const text = callText(format, reply, { name: 'zqone', given: { zqkey: null } })
  const start = (elements.lead + elements.open + 'zqkey' + elements.middle.null).length
  return text.slice(start, text.length - (closeOf(elements, 'zqkey') + elements.end).length)
}
