import type { Html, HtmlPart, Words } from '../html.ts'
import { escapeHtml, html, say } from '../html.ts'
import { PAGE_STYLE } from '../shell.ts'
import { linkFrom } from './addresses.ts'

/** A file of the site, by its path from the top. */
export interface SiteFile {
  readonly path: string
  readonly text: string
}

/** The style of all pages of the site, in a file of its own: thousands of pages share it. */
export const SITE_STYLE: string = `${PAGE_STYLE}
.crumbs a { margin-right: 1rem } .signs { white-space: pre-wrap } .signs i { color: var(--quiet); font-style: normal }
.results { list-style: none; padding: 0 } .results li { border-bottom: 1px solid var(--line); padding: .3rem 0; overflow-wrap: anywhere }
.results p { margin: 0 } .chips button { margin: .15rem } td.gave { max-width: 34rem; overflow-wrap: anywhere } td.gave code { white-space: pre-wrap }
details > summary { cursor: pointer } .ids { padding-left: 1.2rem; overflow-wrap: anywhere } input[type="search"] { width: min(32rem, 100%); padding: .3rem }
.skip { position: absolute; left: -99rem } .skip:focus { left: 1rem; top: .5rem; background: var(--ground); padding: .3rem }
@media (max-width: 40rem) { .fold td:empty { display: none } }
.badge { vertical-align: middle; margin: .15rem .4rem .15rem 0 }
`

export interface SitePage {
  /** From the top of the site. */
  readonly path: string
  readonly title: string
  readonly body: Html
}

/** A page of the site. Its policy allows the style, the script and the data of the site, and nothing else. */
export function sitePage({ path, title, body }: SitePage): SiteFile {
  const to = (target: string): string => linkFrom(path, target)
  const text = `<!doctype html>
<html lang="en" data-language="en" data-language-of="browser">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="alternate" type="application/feed+json" title="callspec compatibility" href="${to('feed.json')}">
<link rel="stylesheet" href="${to('style.css')}">
</head>
<body data-top="${to('')}">
<a class="skip" href="#content">Skip to content / 跳到内容</a>
<header class="bar"><p class="brand crumbs"><a href="${to('index.html')}">callspec compat</a></p><p class="languages" role="group" aria-label="Language / 语言">
<button type="button" data-set-language="en" lang="en-GB">English</button> <button type="button" data-set-language="zh" lang="zh-CN">中文</button></p></header>
<main id="content">
${withoutIndent(body.markup)}
</main>
<script src="${to('script.js')}"></script>
</body>
</html>
`
  return { path, text }
}

/** Line ends and indents of the templates are a blank in HTML, except in `pre`; without them thousands of pages are a third smaller. */
function withoutIndent(markup: string): string {
  const parts = markup.split(/(<pre[ >][^]*?<\/pre>)/)
  return parts.map((part) => (part.startsWith('<pre') ? part : part.replaceAll(/\s*\n\s*/g, '\n'))).join('')
}

/** A page that leads to another one. */
export function redirectPage(path: string, target: string): SiteFile {
  const to = escapeHtml(linkFrom(path, target))
  const text = `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${to}"><title>Moved</title><a href="${to}">Moved. 已移动。</a></html>\n`
  return { path, text }
}

/** A section with a heading that can be linked. */
export function section(id: string, title: Words, body: HtmlPart): Html {
  return html`<section id="${id}">
    <h2>${say(title)}</h2>
    ${body}
  </section> `
}
