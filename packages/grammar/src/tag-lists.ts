import { type Expression, GrammarError, choice, literal, optional, repeat, sequence } from './expression.ts'
import {
  type Format,
  type Surroundings,
  flagMember,
  isFormat,
  listMember,
  stringMember,
  stringsMember,
} from './tag-members.ts'

/** Reads the content of a member of a format; `ends` are the strings that free text in it must not hold. */
export type ReadInner = (content: unknown, name: string, ends?: readonly string[]) => Expression

type Tag = { readonly begin: string; readonly content: Expression; readonly end: Expression }

/** Reads a format of tags: one tag, tags that triggers begin, tags with a separator, or contents that strings begin. */
export function readTags(
  type: 'tag' | 'triggered_tags' | 'tags_with_separator' | 'dispatch',
  format: Format,
  around: Surroundings,
  inner: ReadInner,
): Expression {
  const { path } = around
  switch (type) {
    case 'tag':
      return wholeTag(readTag(format, path, inner, 'content'))
    case 'triggered_tags':
      return triggeredTags(format, around, inner)
    case 'tags_with_separator':
      return separatedTags(format, path, inner)
    default:
      return dispatch(format, path, inner)
  }
}

function wholeTag({ begin, content, end }: Tag): Expression {
  return sequence(literal(begin), content, end)
}

function readTag(format: Format, path: string, inner: ReadInner, name: string): Tag {
  const { begin, end } = format
  if (isFormat(begin) || isFormat(end))
    throw new GrammarError(`${path} begins or ends with a token: a text alone cannot be compared with it.`)
  const ends = typeof end === 'string' ? [end] : stringsMember(format, 'end', path)
  if (ends.length === 0) throw new GrammarError(`${path}.end must be a string, or a list with at least one.`)
  if (!isFormat(format['content'])) throw new GrammarError(`${path}.content must be a format.`)
  const closing = ends.filter((one) => one !== '')
  if (closing.length === 0 && isUnlimited(format['content']))
    throw new GrammarError(`${path} holds free text without limit, so that at least one end must not be empty.`)
  return {
    begin: stringMember(format, 'begin', path),
    content: inner(format['content'], name, closing),
    end: choice(...ends.map(literal)),
  }
}

function isUnlimited(content: Format): boolean {
  const { type, elements } = content
  if (type === 'any_text' || type === 'triggered_tags') return true
  if (type !== 'sequence' && type !== 'or') return false
  return Array.isArray(elements) && elements.some((one) => isFormat(one) && isUnlimited(one))
}

function readTagList(format: Format, path: string, inner: ReadInner): readonly Tag[] {
  return listMember(format, 'tags', path).map((tag, index) => {
    const name = `tags[${index}]`
    if (!isFormat(tag)) throw new GrammarError(`${path}.${name} must be a tag.`)
    return readTag(tag, `${path}.${name}`, inner, `${name}.content`)
  })
}

function triggeredTags(format: Format, { path, ends }: Surroundings, inner: ReadInner): Expression {
  const triggers = stringsMember(format, 'triggers', path)
  if (triggers.length === 0 || triggers.includes(''))
    throw new GrammarError(`${path}.triggers must be a list of strings that are not empty.`)
  const atLeastOne = flagMember(format, 'at_least_one', path, false)
  const stopAfterFirst = flagMember(format, 'stop_after_first', path, false)
  const tags = readTagList(format, path, inner)
  const groups = triggers.map((): Expression[] => [])
  tags.forEach(({ begin, content, end }, index) => {
    const matching = triggers.flatMap((trigger, at) =>
      begin.startsWith(trigger) ? [{ trigger, group: groups[at] }] : [],
    )
    const [only, second] = matching
    if (!only)
      throw new GrammarError(
        `${path}.tags[${index}] begins with ${JSON.stringify(begin.slice(0, 60))}, which begins with no trigger.`,
      )
    if (second) throw new GrammarError(`${path}.tags[${index}] begins with two triggers.`)
    only.group?.push(sequence(literal(begin.slice(only.trigger.length)), content, end))
  })
  const first = choice(...tags.map(wholeTag))
  if (atLeastOne && stopAfterFirst) return first
  const text: Expression = {
    kind: 'free',
    excludes: [...new Set([...stringsMember(format, 'excludes', path), ...ends])],
    dispatch: triggers.map((trigger, at) => ({ trigger, body: choice(...(groups[at] ?? [])) })),
    loop: !stopAfterFirst,
    max: null,
  }
  return atLeastOne ? sequence(first, text) : text
}

function separatedTags(format: Format, path: string, inner: ReadInner): Expression {
  const separator = stringMember(format, 'separator', path)
  const atLeastOne = flagMember(format, 'at_least_one', path, false)
  const stopAfterFirst = flagMember(format, 'stop_after_first', path, false)
  const tag = choice(...readTagList(format, path, inner).map(wholeTag))
  const tags = stopAfterFirst ? tag : sequence(tag, repeat(sequence(literal(separator), tag), 0, null))
  return atLeastOne ? tags : optional(tags)
}

function dispatch(format: Format, path: string, inner: ReadInner): Expression {
  const rules = listMember(format, 'rules', path).map((one, index) => {
    const [trigger, content] = Array.isArray(one) ? (one as unknown[]) : []
    if (typeof trigger !== 'string' || trigger === '')
      throw new GrammarError(`${path}.rules[${index}] must be a list of a string and a format.`)
    return { trigger, body: inner(content, `rules[${index}][1]`, []) }
  })
  return {
    kind: 'free',
    excludes: [...new Set(stringsMember(format, 'excludes', path))],
    dispatch: rules,
    loop: flagMember(format, 'loop', path, true),
    max: null,
  }
}
