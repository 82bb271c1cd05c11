import { showHidden } from '@callspec/eval/show-hidden'

/** Markup that was made by `html`; everything else is text and is escaped. */
export interface Html {
  readonly markup: string
}

/** What may stand in a template: text, a number, markup, a list of these, or nothing. */
export type Part = string | number | Html | null | false | readonly Part[]

/**
 * Markup from a template. Texts put into it are escaped for element content and for attributes in double quotes, and what
 * would hide in them, turn the reading direction or cannot be UTF-8 is spelled out; markup of `html` is taken as it is.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let markup = strings[0] ?? ''
  for (const [index, part] of parts.entries()) markup += rendered(part) + (strings[index + 1] ?? '')
  return { markup }
}

/** Parts one after the other. */
export function joined(parts: readonly Part[], separator: Part = ''): Html {
  return { markup: parts.map(rendered).join(rendered(separator)) }
}

/** Markup from a constant of this package; never from data. */
export function trusted(markup: string): Html {
  return { markup }
}

/** Text with everything that HTML reads as markup replaced, and with what is hidden in it shown. */
export function escapeHtml(text: string): string {
  return showHidden(text).replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign)
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function rendered(part: Part): string {
  if (part === null || part === false) return ''
  if (typeof part === 'string') return escapeHtml(part)
  if (typeof part === 'number') return String(part)
  return 'markup' in part ? part.markup : part.map(rendered).join('')
}
