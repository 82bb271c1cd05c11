import { html } from './html.ts'
import type { Html, Part } from './html.ts'

/** The languages of the pages. */
export const PAGE_LANGUAGES = ['en', 'zh'] as const

/** One of `PAGE_LANGUAGES`. */
export type PageLanguage = (typeof PAGE_LANGUAGES)[number]

/** A text of a page in its languages; `{name}` is filled in by `say`. */
export type Words = Readonly<Record<PageLanguage, string>>

/** Both texts; the page shows the one of its language. Values are text or markup. */
export function say(words: Words, values: Readonly<Record<string, Part>> = {}): Html {
  return html`<span lang="en">${filled(words.en, values)}</span><span lang="zh">${filled(words.zh, values)}</span>`
}

const FIELD = /\{(\w+)\}/g

function filled(text: string, values: Readonly<Record<string, Part>>): Part {
  const parts: Part[] = []
  let end = 0
  for (const match of text.matchAll(FIELD)) {
    parts.push(text.slice(end, match.index), values[match[1] ?? ''] ?? match[0])
    end = match.index + match[0].length
  }
  return [...parts, text.slice(end)]
}
