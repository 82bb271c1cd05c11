import { str } from './text.ts'
import type { Run, Value } from './value.ts'
import { isMarkup } from './value.ts'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&#39;',
  '"': '&#34;',
}

/** The text of a value, escaped for HTML; Markup stays as it is. */
export function escape(value: Value, run: Run): string {
  if (isMarkup(value)) return value.text
  return escapeText(str(value, run))
}

/** A text, escaped for HTML. */
export function escapeText(text: string): string {
  return text.replace(/[&<>'"]/g, (char) => ENTITIES[char] ?? char)
}
