import { showHidden } from '@callspec/eval/text'

/** Markup that was made by `html`; everything else is text and is escaped. */
export interface Html {
  readonly markup: string
}

/** A value in a template: text, a number, markup, a list of these, or nothing. */
export type HtmlPart = string | number | Html | null | false | readonly HtmlPart[]

/**
 * Markup from a template. Texts put into it are escaped for element content and for attributes in double quotes, and what
 * would hide in them, turn the reading direction or cannot be UTF-8 is spelled out; markup of `html` is taken as it is.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  let markup = strings[0] ?? ''
  for (const [index, part] of parts.entries()) markup += renderPart(part) + (strings[index + 1] ?? '')
  return { markup }
}

/** Parts one after the other. */
export function joined(parts: readonly HtmlPart[], separator: HtmlPart = ''): Html {
  return { markup: parts.map(renderPart).join(renderPart(separator)) }
}

/** A sentence in which pairs of backticks are around code. */
export function withCode(sentence: string): Html {
  const parts = sentence.split('`')
  // Without its pair a backtick is one.
  const last = parts.length % 2 === 0 ? `\`${parts.pop() ?? ''}` : ''
  return html`${parts.map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`))}${last}`
}

/** Markup from a constant of this package; never from data. */
export function trusted(markup: string): Html {
  return { markup }
}

/** Text with everything that HTML reads as markup replaced, and with what is hidden in it shown. */
export function escapeHtml(text: string): string {
  return showHidden(text).replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign)
}

/** Text for the content of an element, never for an attribute: quotation marks stay as they are, which halves the size of JSON. */
export function elementText(text: string): Html {
  return { markup: showHidden(text).replace(/[&<>]/g, (sign) => ENTITIES[sign] ?? sign) }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function renderPart(part: HtmlPart): string {
  if (part === null || part === false) return ''
  if (typeof part === 'string') return escapeHtml(part)
  if (typeof part === 'number') return String(part)
  return 'markup' in part ? part.markup : part.map(renderPart).join('')
}

/** A text as part of an address. */
export function encodedInHref(text: string): string {
  return encodeURIComponent(wellFormed(text))
}

const LONE = /[\ud800-\udfff]/gu

/** Lone surrogates cannot be part of an address. */
export function wellFormed(text: string): string {
  return text.replaceAll(LONE, () => '\ufffd')
}

/**
 * Data for the page's script, as a block that no browser runs. `<` is written as `\u003c`, so that no text in it can end the
 * block or begin a comment; lone surrogates as escapes, so that the file is UTF-8.
 */
export function dataBlock(id: string, data: unknown): Html {
  return trusted(`<script type="application/json" id="${id}">${inertJson(data)}</script>`)
}

/** JSON that is safe inside a script element, where only `<` can begin or end anything. */
function inertJson(data: unknown): string {
  // JSON.stringify writes lone surrogates as escapes by itself.
  return JSON.stringify(data).replace(/[<\u2028\u2029]/g, (sign) => {
    return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** The languages of the pages. */
export const PAGE_LANGUAGES = ['en', 'zh'] as const

/** One of `PAGE_LANGUAGES`. */
export type PageLanguage = (typeof PAGE_LANGUAGES)[number]

/** A text of a page in its languages; `{name}` is filled in by `say`. */
export type Words = Readonly<Record<PageLanguage, string>>

/** Both texts; the page shows the one of its language. Values are text or markup. */
export function say(words: Words, values: Readonly<Record<string, HtmlPart>> = {}): Html {
  return html`<span lang="en">${filled(words.en, values)}</span><span lang="zh">${filled(words.zh, values)}</span>`
}

const FIELD = /\{(\w+)\}/g

function filled(text: string, values: Readonly<Record<string, HtmlPart>>): HtmlPart {
  const parts: HtmlPart[] = []
  let end = 0
  for (const match of text.matchAll(FIELD)) {
    parts.push(text.slice(end, match.index), values[match[1] ?? ''] ?? match[0])
    end = match.index + match[0].length
  }
  return [...parts, text.slice(end)]
}
