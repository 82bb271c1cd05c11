import type { PlainValue } from '@callspec/python'

/** A response template as plain data, in the order of its members. */
export type PlainTemplate = Readonly<Record<string, PlainValue>>

/** A field as plain data. */
export type PlainField = Readonly<Record<string, PlainValue>>

/** A call whose name and arguments the opener and the content have. */
export const NAMED_CALL: PlainValue = { type: 'function', function: { name: '{name}', arguments: '{content}' } }

/** A template that begins messages of an assistant. */
export function templateOf(
  anchor: string | readonly string[],
  fields: Readonly<Record<string, PlainField>>,
): PlainTemplate {
  return { defaults: { role: 'assistant' }, start_anchor: anchor, fields }
}

/** Texts outside of other fields, joined; a closer takes the white space around it. */
export function contentUntil(stops: readonly string[]): PlainField {
  return { close_pattern: `\\s*(?:${stops.map(escaped).join('|')})\\s*`, repeats: true, join: '' }
}

/** A thought between tags; white space after it is the format's. */
export const THOUGHT: PlainField = { open: '<think>', close_pattern: '</think>\\s*' }

/** A text for a pattern of Python. */
export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, (char) => `\\${char}`)
}

/** Calls with parameters in tags; values stay texts, since tools type them, and lose one line feed on each side. */
export function taggedCalls(given: {
  readonly open: string
  readonly close: string
  readonly tag: string
}): PlainField {
  return {
    open_pattern: given.open,
    close_pattern: given.close,
    repeats: true,
    content: 'xml-inline',
    content_args: { tag_pattern: given.tag },
    transform: NAMED_CALL,
  }
}

/** Calls whose JSON has the name and the arguments. */
export function jsonCalls(
  delimiters: PlainField,
  names: { readonly name: string; readonly arguments: string },
): PlainField {
  return {
    ...delimiters,
    repeats: true,
    content: 'json',
    transform: {
      type: 'function',
      function: { name: `{content.${names.name}}`, arguments: `{content.${names.arguments}}` },
    },
  }
}
