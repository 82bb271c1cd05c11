import { isDict, isList, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { CONTENT_PARSERS } from '../template/response-template.ts'
import type { Delimiter, ResponseTemplate, TemplateField } from '../template/response-template.ts'
import { placeholderPath } from '../template/transform.ts'
import type { ResponseRuleId } from './rules.ts'
import { eatsSpaceAround, groupNamed, lacksCharacter, optionalGroups } from './pattern-facts.ts'
import { readWhole, regionSample, regionText, tagPatternOf, wholeWitness } from './witness.ts'
import type { Witness } from './witness.ts'

/** What a rule saw in a template. */
export interface Sighting {
  readonly rule: ResponseRuleId
  /** Null if it is not about one field. */
  readonly field: string | null
  readonly detail: string
  readonly witness: Witness | null
}

/** What is wrong with single fields, found without a chat template. Info rules included. */
export function checkField(template: ResponseTemplate, field: TemplateField): readonly Sighting[] {
  const see = (rule: ResponseRuleId, detail: string, text: string | null = sampleReply(field)): Sighting => ({
    rule,
    field: field.name,
    detail,
    witness: text === null ? null : wholeWitness(template, text),
  })
  return [
    ...transformSightings(field, see),
    ...argumentSightings(template, field, see),
    ...keepingSightings(template, field, see),
  ]
}

type See = (rule: ResponseRuleId, detail: string, text?: string | null) => Sighting

function sampleReply(field: TemplateField): string | null {
  const region = regionSample(field)
  return region === null ? null : regionText(region)
}

function groupsOf(delimiter: Delimiter | null): readonly string[] {
  return delimiter?.kind === 'pattern' ? Array.from(delimiter.pattern.parsed.names.keys()) : []
}

/** Every string of a transform. */
function stringsOf(value: PyValue): readonly string[] {
  if (typeof value === 'string') return [value]
  if (isList(value)) return value.flatMap(stringsOf)
  return isDict(value) ? Array.from(value.values()).flatMap(stringsOf) : []
}

function transformSightings(field: TemplateField, see: See): readonly Sighting[] {
  const { transform, open, close } = field
  if (transform === null) return []
  const optional = open?.kind === 'pattern' ? optionalGroups(open.pattern.parsed.root) : new Set<string>()
  return stringsOf(transform.value).flatMap((text) => {
    const root = placeholderPath(text)?.[0]
    if (root === undefined) {
      return text.startsWith('{') && text.endsWith('}') && /[^\s{}]/u.test(text)
        ? [see('mapping-literal', `${text} is copied as it is.`)]
        : []
    }
    if (optional.has(root)) return [see('optional-group', `The group ${root} takes no part in this reply.`)]
    if (groupsOf(open).includes(root) || root === 'content' || transform.isForEach) return []
    return groupsOf(close).includes(root)
      ? [see('close-group', `${text} is a group of close_pattern.`)]
      : [see('unknown-placeholder', `${text} is not defined.`)]
  })
}

const KNOWN_ARGUMENTS: Readonly<Record<(typeof CONTENT_PARSERS)[number], readonly string[]>> = {
  text: ['strip'],
  int: ['strip'],
  float: ['strip'],
  bool: ['strip'],
  json: ['strip', 'unquoted_keys', 'string_delims', 'allow_non_json'],
  'xml-inline': ['tag_pattern', 'value_parser', 'merge_duplicates'],
  'kv-lines': ['line_sep', 'kv_sep', 'value_parser', 'strip'],
}

function argumentSightings(template: ResponseTemplate, field: TemplateField, see: See): readonly Sighting[] {
  const { content, contentArguments: given } = field
  const found: Sighting[] = []
  const unknown = unknownArguments(content, given)
  if (unknown.length > 0) found.push(see('unused-arguments', `${content} does not read ${unknown.join(', ')}.`))
  const parser = given.get('value_parser') ?? null
  const name = isDict(parser) ? (parser.has('name') ? (parser.get('name') ?? null) : 'text') : null
  if (isDict(parser) && parser.size > 0 && !CONTENT_PARSERS.some((known) => known === name)) {
    found.push(see('value-parser-unknown', `${String(name)} is no parser.`))
  }
  const inner = isDict(parser) ? (parser.get('args') ?? null) : null
  if (name === 'json' && isDict(inner) && truthy(inner.get('allow_non_json'))) {
    found.push(see('guessed-types', 'The value 1.50 becomes the number 1.5.', replyWith(field, '1.50')))
  }
  if (content === 'xml-inline') found.push(...tagSightings(template, field, see))
  if (content === 'json' && truthy(given.get('unquoted_keys')) && !truthy(given.get('string_delims'))) {
    const region = regionSample(field, 'short', { body: '{a:1, b:2}' })
    found.push(
      see('unquoted-keys', 'The key b is not found after a space.', region === null ? null : regionText(region)),
    )
  }
  return found
}

function unknownArguments(content: (typeof CONTENT_PARSERS)[number], given: PyDict): readonly string[] {
  const own = Array.from(given.keys()).filter((key) => !KNOWN_ARGUMENTS[content].includes(key))
  const parser = given.get('value_parser') ?? null
  const inner = isDict(parser) ? (parser.get('args') ?? null) : null
  const name = isDict(parser) ? CONTENT_PARSERS.find((known) => known === (parser.get('name') ?? 'text')) : undefined
  return isDict(inner) && name !== undefined
    ? [...own, ...unknownArguments(name, inner).map((key) => `args.${key}`)]
    : own
}

/** A reply with this value in a tag; null if it cannot be written. */
function replyWith(field: TemplateField, value: string): string | null {
  const pattern = tagPatternOf(field)
  if (field.content === 'kv-lines') return bodyReply(field, `a: ${value}`)
  if (pattern === null) return null
  const region = regionSample(field)
  return region === null ? null : bodyReply(field, tagText(field, { key: 'x', value }))
}

function bodyReply(field: TemplateField, body: string): string | null {
  const region = regionSample(field, 'short', { body })
  return region === null ? null : regionText(region)
}

function tagText(field: TemplateField, groups: Readonly<Record<string, string>>): string {
  const region = regionSample({ ...field, open: null, close: null }, 'short')
  const usual = region?.body ?? ''
  // The sample of a tag has the key x and the value 1 at places that can be found.
  const key = groups['key'] ?? 'x'
  const value = groups['value'] ?? '1'
  const at = usual.lastIndexOf('1')
  const withValue = at < 0 ? usual : usual.slice(0, at) + value + usual.slice(at + 1)
  return key === 'x' ? withValue : withValue.replace('x', () => key)
}

function tagSightings(template: ResponseTemplate, field: TemplateField, see: See): readonly Sighting[] {
  const pattern = tagPatternOf(field)
  if (pattern === null) return [see('no-tag-pattern', 'There is no tag_pattern, or it is no pattern.')]
  const { root } = pattern.parsed
  const found: Sighting[] = []
  const optional = optionalGroups(root)
  if (!pattern.parsed.names.has('key')) found.push(see('no-tag-pattern', 'tag_pattern has no group key.'))
  if (optional.has('value') && truthy(field.contentArguments.get('value_parser'))) {
    const region = regionSample(field, 'short', { body: absentValue(field) })
    const text = region === null ? null : regionText(region)
    found.push(see('value-group-absent', 'In this reply the group value takes no part.', text))
  }
  if (eatsSpaceAround(root, 'value')) {
    found.push(see('eaten-space', 'The value "  x  " loses its edges.', replyWith(field, '  x  ')))
  }
  const key = groupNamed(root, 'key')
  if (key !== null && isNarrow(key))
    found.push(see('narrow-name', 'The key my-key is not read.', bodyReply(field, tagText(field, { key: 'my-key' }))))
  return [
    ...found,
    ...nameSightings(
      template,
      field,
      see,
      found.some(({ rule }) => rule === 'narrow-name'),
    ),
  ]
}

function absentValue(field: TemplateField): string {
  const pattern = tagPatternOf(field)
  const text = pattern === null ? '' : tagText(field, {})
  return text.replace(/=?1(?=\W*$)/u, '')
}

function isNarrow(body: Parameters<typeof lacksCharacter>[0]): boolean {
  return lacksCharacter(body, '-') || lacksCharacter(body, '.')
}

/** The group of the opener that becomes the name of a function. */
function nameSightings(
  template: ResponseTemplate,
  field: TemplateField,
  see: See,
  isKnown: boolean,
): readonly Sighting[] {
  const { open, transform } = field
  const value = transform?.value ?? null
  const called = isDict(value) ? (value.get('function') ?? null) : null
  const name = isDict(called) ? (called.get('name') ?? null) : null
  const group = typeof name === 'string' ? placeholderPath(name)?.[0] : undefined
  if (isKnown || open?.kind !== 'pattern' || group === undefined) return []
  const body = groupNamed(open.pattern.parsed.root, group)
  if (body === null || !isNarrow(body)) return []
  const region = regionSample(field)
  const text = region === null ? null : regionText({ ...region, open: renamed(region.open) })
  return text !== null && hasCall(template, text, 'get-weather')
    ? []
    : [see('narrow-name', 'The name get-weather is not read.', text)]
}

/** The opener with another name: the sample has the name f, which is the last f of it. */
function renamed(open: string): string {
  const at = open.lastIndexOf('f')
  return at < 0 ? open : `${open.slice(0, at)}get-weather${open.slice(at + 1)}`
}

function hasCall(template: ResponseTemplate, text: string, name: string): boolean {
  const result = readWhole(template, text)
  return result.kind === 'read' && stringsOf(result.message).includes(name)
}

function keepingSightings(template: ResponseTemplate, field: TemplateField, see: See): readonly Sighting[] {
  const found: Sighting[] = []
  const region = regionSample(field)
  const text = region === null ? null : regionText(region)
  if (field.content !== 'xml-inline') found.push(...nameSightings(template, field, see, false))
  if (field.join !== null && field.content === 'text' && !isUnstripped(field)) {
    found.push(see('joined-edges', 'Each part loses its edges.'))
  }
  const isCall = field.name === 'tool_calls'
  if (isCall && !hasCallShape(field))
    found.push(see('unknown-shape', 'Calls have no function with name and arguments.'))
  if (
    field.content === 'json' &&
    field.isRepeated &&
    !truthy(field.contentArguments.get('allow_non_json')) &&
    region !== null
  ) {
    const broken = regionText({ ...region, body: '{oops' })
    found.push(
      see('one-bad-call', 'The second call cannot be read, and the first is lost, too.', `${text ?? ''}${broken}`),
    )
  }
  if ((field.content === 'json' || field.content === 'xml-inline') && region !== null && field.close !== null) {
    found.push(
      see(
        'closer-in-value',
        'The region ends inside of the value.',
        regionText({ ...region, body: closerInside(field, region.close) }),
      ),
    )
  }
  if (!field.isOptional) found.push(see('missing-required', `A reply without ${field.name} raises.`, ''))
  return found
}

function closerInside(field: TemplateField, close: string): string {
  if (field.content === 'xml-inline') return tagText(field, { value: close })
  return JSON.stringify({ name: 'f', arguments: { x: close } })
}

function isUnstripped({ contentArguments }: TemplateField): boolean {
  return contentArguments.has('strip') && !truthy(contentArguments.get('strip'))
}

/** Whether calls are `{function: {name, arguments}}`, or may be. */
function hasCallShape({ transform }: TemplateField): boolean {
  const value = transform?.value ?? null
  if (typeof value === 'string') return placeholderPath(value) !== null
  const called = isDict(value) ? (value.get('function') ?? null) : null
  if (typeof called === 'string') return placeholderPath(called) !== null
  return isDict(called) && called.has('name') && called.has('arguments')
}
