import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ENTRY = /^- \[([^\]]+)\]\(([^)#]+\.md)\)(?: \(\[[^\]]*\]\([^)]*\)\))?[.:]? ?(.*)$/

/**
 * The text of `llms.txt` (llmstxt.org): what the project is, then each page with its sentence, by the headings of an index. Links lead to the
 * Markdown of the pages.
 *
 * @param index the Markdown of the index
 * @param pageOf the page that a link of the index leads to; null for other links
 */
export function llmsText(index: string, pageOf: (link: string) => string | null): string {
  const lines = ['# callspec', '', '> The specification tests of LLM tool calling.']
  for (const line of index.split('\n')) {
    const heading = /^## (.*)$/.exec(line)?.[1]
    if (heading !== undefined) lines.push('', `## ${heading}`, '')
    const [, title, link, about = ''] = ENTRY.exec(line) ?? []
    const page = link === undefined ? null : pageOf(link)
    if (title !== undefined && page !== null) lines.push(`- [${title}](${page})${about === '' ? '' : `: ${about}`}`)
  }
  return `${lines.join('\n')}\n`
}

/** Writes `llms.txt` and the Markdown of each page, `laws.md` beside `laws.html`. */
export function writeLlms(out: string, { text, files }: { text: string; files: ReadonlyMap<string, string> }): void {
  for (const [page, source] of files) {
    mkdirSync(dirname(join(out, page)), { recursive: true })
    copyFileSync(source, join(out, page))
  }
  writeFileSync(join(out, 'llms.txt'), text)
}
