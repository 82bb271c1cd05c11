/** A FORMAT of a structural tag, as JSON. */
export type TagFormat = { readonly type: string } & Readonly<Record<string, unknown>>

/** White space between two tokens of JSON: enough for an indented line, and an end for a model that would not stop. */
const MAX_WHITE_SPACE = 20

export const constText = (value: string): TagFormat => ({ type: 'const_string', value })
export const regexText = (pattern: string): TagFormat => ({ type: 'regex', pattern })
export const maybe = (content: TagFormat): TagFormat => ({ type: 'optional', content })
export const anyTimes = (content: TagFormat): TagFormat => ({ type: 'star', content })
export const jsonText = (schema: unknown): TagFormat => ({
  type: 'json_schema',
  json_schema: schema,
  max_whitespace_cnt: MAX_WHITE_SPACE,
})

export function freeText(excludes: readonly string[], maxCharacters: number | null = null): TagFormat {
  return {
    type: 'any_text',
    ...(excludes.length === 0 ? {} : { excludes }),
    ...(maxCharacters === null ? {} : { max_chars: maxCharacters }),
  }
}

export function marked(begin: string, content: TagFormat, end: string): TagFormat {
  return { type: 'tag', begin, content, end }
}

/** One after the other; neighbouring constant texts become one, empty ones are left out. */
export function inSequence(...parts: readonly TagFormat[]): TagFormat {
  const elements: TagFormat[] = []
  for (const part of parts.flatMap((one) => (one.type === 'sequence' ? (one['elements'] as TagFormat[]) : [one]))) {
    const last = elements.at(-1)
    if (constantOf(part) === '') continue
    if (last && constantOf(last) !== null && constantOf(part) !== null)
      elements[elements.length - 1] = constText(`${constantOf(last)}${constantOf(part)}`)
    else elements.push(part)
  }
  const [only, other] = elements
  if (!only) return constText('')
  return other ? { type: 'sequence', elements } : only
}

/** Any of several; those that are equal become one. */
export function anyOf(...parts: readonly TagFormat[]): TagFormat {
  const seen = new Map(
    parts
      .flatMap((one) => (one.type === 'or' ? (one['elements'] as TagFormat[]) : [one]))
      .map((part) => [JSON.stringify(part), part]),
  )
  const rest = [...seen.values()].filter((part) => constantOf(part) !== '')
  if (rest.length < seen.size) return rest.length === 0 ? constText('') : maybe(anyOf(...rest))
  const [only, other] = rest
  return only && !other ? only : { type: 'or', elements: rest }
}

/** The text of a format that is constant; null for others. */
export function constantOf(part: TagFormat): string | null {
  return part.type === 'const_string' ? (part['value'] as string) : null
}

/** The same content as a tag: constant texts at its ends become its marks. */
export function asTag(content: TagFormat): TagFormat {
  if (content.type === 'tag') return content
  const elements = content.type === 'sequence' ? (content['elements'] as readonly TagFormat[]) : [content]
  const [first] = elements
  const begin = first ? constantOf(first) : null
  const rest = begin === null ? elements : elements.slice(1)
  const last = rest.at(-1)
  const end = last ? constantOf(last) : null
  const inner = end === null ? rest : rest.slice(0, -1)
  return marked(begin ?? '', inSequence(...inner), end ?? '')
}
