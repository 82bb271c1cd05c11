import { escapeHtml } from './html.ts'
import type { Html } from './html.ts'
import { PAGE_SCRIPT, PAGE_SCRIPT_HASH } from './page-script.ts'
import { PAGE_STYLE } from './page-style.ts'
import type { PageLanguage } from './words.ts'

/** What a page consists of besides what all pages have. */
export interface PageParts {
  /** Plain text. */
  readonly title: string
  /** The language that is shown first; a switch in the page shows the other one. */
  readonly language: PageLanguage
  readonly body: Html
  /** Blocks of data behind the script. */
  readonly data?: Html
  /** Whether the script loads files beside the page. Default: false. */
  readonly loadsFiles?: boolean
}

/**
 * One HTML file that needs nothing else. The policy in it forbids everything that is not its own style and the one script
 * whose hash it names, so that a text that should ever get through as markup still could not run or load anything.
 */
export function renderPage({ title, language, body, data, loadsFiles = false }: PageParts): string {
  const beside = loadsFiles ? " 'self'" : ''
  return `<!doctype html>
<html lang="${language}" data-language="${language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src '${PAGE_SCRIPT_HASH}'${beside}">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<header class="bar"><p class="brand">callspec</p><p class="languages" role="group" aria-label="Language / 语言">
<button type="button" data-set-language="en" lang="en-GB">English</button> <button type="button" data-set-language="zh" lang="zh-CN">中文</button></p></header>
<main>
${body.markup}
</main>
<script>${PAGE_SCRIPT}</script>
${data?.markup ?? ''}
</body>
</html>
`
}
