import type { Html, PageLanguage } from './html.ts'
import { escapeHtml } from './html.ts'
import { PAGE_SCRIPT, PAGE_SCRIPT_HASH } from './page-script.ts'

/** The colours of the pages by name, on light and on dark ground; a test holds every text to a contrast of 4.5 (WCAG AA). */
export const COLOURS: Readonly<Record<'light' | 'dark', Readonly<Record<string, string>>>> = {
  light: {
    ...{ ground: '#ffffff', text: '#1b1f24', quiet: '#57606a', line: '#d0d7de', panel: '#f6f8fa', link: '#0550ae' },
    ...{ good: '#1a7f37', bad: '#b3261e', warn: '#8a5a00' },
    ...{
      s0: '#0550ae',
      s1: '#8250df',
      s2: '#1a7f37',
      s3: '#8a5a00',
      fine: '#c9d6e2',
      'fine-more': '#9bb0c4',
      'on-fine': '#111111',
    },
    ...{ mark: '#fff0b3', call: '#f3ecff', leak: '#ffe3e0' },
  },
  dark: {
    ...{ ground: '#14181d', text: '#e6edf3', quiet: '#9aa7b4', line: '#38414a', panel: '#1c2229', link: '#79b8ff' },
    ...{ good: '#5bd67a', bad: '#ff8d85', warn: '#e3b341' },
    ...{
      s0: '#79b8ff',
      s1: '#c8a6ff',
      s2: '#5bd67a',
      s3: '#e3b341',
      fine: '#3d4a57',
      'fine-more': '#5f7183',
      'on-fine': '#ffffff',
    },
    ...{ mark: '#4d4013', call: '#2d2340', leak: '#4a1d1a' },
  },
}

/**
 * Fills for kinds of failure, the same on light and dark ground: white text can be read on them, and they differ clearly from
 * either ground. None is green, which would say that something is good.
 */
export const PART_COLOURS: readonly string[] = [
  ...['#c0392b', '#b45309', '#8a6d00', '#5b5bd6', '#0e7490'],
  ...['#1d6fb8', '#7c3aed', '#a13d8f', '#a0522d', '#64748b'],
]

/** The text on them. */
export const ON_PART = '#ffffff'

/** The pairs of text colour and ground that the pages use. */
export const TEXT_ON: readonly (readonly [text: string, grounds: readonly string[]])[] = [
  ['text', ['ground', 'panel', 'mark', 'call', 'leak']],
  ['quiet', ['ground', 'panel']],
  ['link', ['ground', 'panel']],
  ['good', ['ground', 'panel']],
  ['bad', ['ground', 'panel']],
  ['warn', ['ground', 'panel']],
  ['on-fine', ['fine', 'fine-more']],
]

/** Custom properties of one of the two. */
export function colourRules(scheme: 'light' | 'dark'): string {
  return Object.entries(COLOURS[scheme])
    .map(([name, colour]) => `--${name}: ${colour};`)
    .join(' ')
}

/** A class per fill. */
export function partRules(): string {
  return PART_COLOURS.map((colour, index) => `.part-${index} { background: ${colour}; color: ${ON_PART} }`).join(' ')
}

export interface PageParts {
  /** Plain text. */
  readonly title: string
  /** The language in which the page opens. Default: the one chosen before in this browser, or else the browser's own. */
  readonly language?: PageLanguage | undefined
  readonly body: Html
  /** Blocks of data after the script. */
  readonly data?: Html
  /** Whether the script loads files next to the page. Default: false. */
  readonly loadsFiles?: boolean
  /** Whether it is served, and replaces its parts with `data-live` as they change; without scripts it is loaded again. Default: false. */
  readonly isLive?: boolean
}

/**
 * One HTML file that needs nothing else. The policy in it forbids everything that is not its own style and the one script
 * whose hash it names, so that a text that should ever get through as markup still could not run or load anything.
 */
export function renderPage({ title, language, body, data, loadsFiles = false, isLive = false }: PageParts): string {
  const beside = loadsFiles ? " 'self'" : ''
  const connects = isLive ? "; connect-src 'self'" : ''
  const again = isLive ? `\n<noscript><meta http-equiv="refresh" content="${RELOAD_SECONDS}"></noscript>` : ''
  return `<!doctype html>
<html lang="${language ?? 'en'}" data-language="${language ?? 'en'}"${language === undefined ? ' data-language-of="browser"' : ''}>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src '${PAGE_SCRIPT_HASH}'${beside}${connects}">${again}
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

/** How often a live page is loaded again in a browser that runs no scripts. */
const RELOAD_SECONDS = 5

/** The style of all pages: light and dark, on paper, and with colours that are never the only sign of anything. */
export const PAGE_STYLE: string = `
:root { color-scheme: light dark; ${colourRules('light')} }
@media (prefers-color-scheme: dark) { :root { ${colourRules('dark')} } }
* { box-sizing: border-box }
body { margin: 0; color: var(--text); background: var(--ground); font: 15px/1.55 system-ui, "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif }
main, .bar { max-width: 72rem; margin: 0 auto; padding: 0 1.2rem }
.bar { display: flex; justify-content: space-between; align-items: baseline; border-bottom: 1px solid var(--line) }
.bar p { margin: .6rem 0 } .brand { font-weight: 600 }
h1 { font-size: 1.6rem; margin: 1.2rem 0 .4rem } h2 { font-size: 1.2rem; margin: 2rem 0 .5rem } h3 { font-size: 1rem; margin: 1.2rem 0 .3rem }
a { color: var(--link) } .quiet { color: var(--quiet) } .bad { color: var(--bad) } .good { color: var(--good) } .warn { color: var(--warn) }
table { border-collapse: collapse; margin: .4rem 0; display: block; overflow-x: auto; max-width: 100% }
caption { text-align: left; color: var(--quiet); padding-bottom: .2rem }
th, td { padding: .25rem .7rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top }
th:first-child, td:first-child, th.text, td.text { text-align: left } thead th { border-bottom-width: 2px }
pre, code { font-family: ui-monospace, "Cascadia Mono", Menlo, Consolas, "Noto Sans Mono CJK SC", monospace; font-size: .9em }
pre { background: var(--panel); border: 1px solid var(--line); padding: .6rem; margin: .3rem 0; white-space: pre-wrap; overflow-wrap: anywhere }
button { font: inherit; color: var(--text); background: var(--panel); border: 1px solid var(--line); border-radius: 4px; padding: .1rem .6rem; cursor: pointer }
button[aria-pressed="true"] { border-color: var(--link); font-weight: 600 }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
[data-language="en"] main [lang="zh"], [data-language="zh"] main [lang="en"] { display: none }
svg { max-width: 100%; height: auto } svg text { fill: currentColor; font-size: 12px }
.chart { margin: .6rem 0 } .key { white-space: nowrap; margin-right: .8rem } .key svg { vertical-align: -2px }
.series-0 { color: var(--s0); fill: var(--s0) } .series-1 { color: var(--s1); fill: var(--s1) } .series-2 { color: var(--s2); fill: var(--s2) } .series-3 { color: var(--s3); fill: var(--s3) }
.ring { fill: var(--ground); stroke: currentColor; stroke-width: 2 }
.bars { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr max-content; gap: .35rem .7rem; align-items: center } .bar-name { overflow-wrap: anywhere; max-width: 22rem; text-align: right }
.track { display: flex; height: 1.5rem; background: var(--panel) } .part { overflow: hidden; text-align: center; font-size: .8rem; line-height: 1.5rem; border-right: 1px solid var(--ground) } .part.fine { background: var(--fine); color: var(--on-fine) } .part.fine-1 { background: var(--fine-more) } .part.fine-2 { background: repeating-linear-gradient(45deg, var(--fine) 0 4px, var(--fine-more) 4px 8px) } ${partRules()}
.swatch { display: inline-block; width: .9rem; height: .9rem; vertical-align: -2px; border: 0 } .keys { margin: .3rem 0 }
.lanes { display: block; border-left: 1px solid var(--line); border-right: 1px solid var(--line); background: linear-gradient(90deg, transparent calc(50% - 1px), var(--line) 50%, transparent calc(50% + 1px)); margin: 0 7px } .lane { position: relative; display: block; height: 1rem }
.whisker { position: absolute; top: calc(.5rem - 1px); height: 2px; background: currentColor } .dot-mark { position: absolute; top: calc(.5rem - 7px); margin-left: -7px } .axis { position: relative; display: block; height: 1.2rem; margin: 0 7px; color: var(--quiet); font-size: .8rem } .axis span { position: absolute; transform: translateX(-50%); white-space: nowrap }
tr.group th { text-align: left; padding-top: .8rem } .cell { text-decoration: none; white-space: nowrap } .evidence { overflow-wrap: anywhere } .whole { white-space: nowrap } td.text { min-width: 12rem }
.headline { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .2rem 1.2rem .8rem; margin: 1rem 0 }
.headline h2 { margin: .6rem 0 } .headline p { margin: .4rem 0 } .verdict { font-size: 1.1rem }
.notice { border-left: 4px solid var(--warn); padding: .1rem 1rem; margin: 1rem 0; background: var(--panel) } .notice h2 { margin-top: .5rem }
.panes { display: grid; grid-template-columns: minmax(14rem, 22rem) 1fr; gap: 1rem } .episode-list { margin: 0; padding: 0; list-style: none; max-height: 80vh; overflow-y: auto }
.episode-list button { width: 100%; text-align: left; border-radius: 0; border-width: 0 0 1px; background: none } .episode-list button[aria-pressed="true"] { background: var(--panel) }
.controls label { margin-right: 1rem; white-space: nowrap } select { font: inherit; color: var(--text); background: var(--ground); border: 1px solid var(--line); max-width: 14rem }
.stage { min-width: 0 } .turn { border-top: 1px solid var(--line); padding-top: .3rem; margin-top: .8rem } .turn h4 { margin: .3rem 0; font-size: 1rem }
.message.new { border-left: 4px solid var(--good); padding-left: .6rem } .message.old { border-left: 4px solid var(--line); padding-left: .6rem } .role { margin: .3rem 0 0; font-weight: 600 }
.question { border-left: 4px solid var(--link); padding-left: .6rem; margin: .6rem 0 } .blame { margin: .3rem 0 } .said-thinking pre { color: var(--quiet); font-style: italic } .said-leaked pre, .said-dropped pre, .said-result pre { background: var(--leak) } .said-call pre { background: var(--call) } .beside { white-space: nowrap } .beside[aria-current="true"] { font-weight: 600 } .call { border-left: 4px solid var(--s1); padding-left: .6rem; margin: .4rem 0 } .call p, .said p { margin: .2rem 0 } .facts { font-size: .85em; overflow-wrap: anywhere }
.bytes { max-height: 32rem; overflow: auto } .bytes mark { color: inherit; background: var(--mark); border-radius: 2px } .span { border-bottom: 2px solid }
.span-thinking { color: var(--quiet); border-color: var(--quiet); font-style: italic } .span-call { border-color: var(--s1); background: var(--call) } .span-result { border-color: var(--warn); border-bottom-style: dashed }
.span-dropped { border-color: var(--bad); text-decoration: line-through } .span-leaked { border-color: var(--bad); border-bottom-style: double; background: var(--leak) }
.pieces { padding-left: 2rem } .show-space .ws { position: relative } .show-space .ws::before { content: attr(data-sign); position: absolute; left: 0; color: var(--quiet) } .show-space .ws-end::after { content: "⏎"; color: var(--quiet) } .show-space .ws-cr::after { content: "␍⏎" }
.time-line { position: relative; display: inline-block; width: 12rem; height: .8rem; border-bottom: 1px solid var(--line); vertical-align: middle } .dot { position: absolute; bottom: -3px; width: 5px; height: 5px; border-radius: 50%; background: var(--s0) }
.issues { color: var(--quiet); font-size: .9em } .issues q { font-family: ui-monospace, monospace }
@media (max-width: 50rem) { .panes { grid-template-columns: 1fr } .episode-list { max-height: 16rem } }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: .6rem } .sides > div { min-width: 0 }
.answers { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr)); gap: .6rem } .answers.four { grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr)) } .answers > section { min-width: 0; border-top: 1px solid var(--line) } .answers p { margin: .3rem 0; overflow-wrap: anywhere }
pre mark { color: inherit; background: var(--mark) } h2, h3 { overflow-wrap: anywhere } p, summary { overflow-wrap: break-word } form.controls { display: flex; flex-wrap: wrap; gap: .3rem 1rem; align-items: baseline } form.controls label { white-space: normal; max-width: 100%; margin: 0 } form.controls select { max-width: min(18rem, 80vw) } .recorded { color: var(--quiet); font-weight: 400 } thead th { overflow-wrap: break-word; min-width: 5rem } .who summary { cursor: pointer }
.episode-list a { display: block; padding: .2rem .4rem; border-bottom: 1px solid var(--line); text-decoration: none; overflow-wrap: anywhere } .episode-list a[aria-current="true"] { background: var(--panel); font-weight: 600 } input[type="search"] { font: inherit; color: var(--text); background: var(--ground); border: 1px solid var(--line); max-width: 100% }
progress { width: 8rem; max-width: 100%; vertical-align: middle; accent-color: var(--s0) } .command { margin: .2rem 0; overflow-wrap: anywhere; font-weight: 400 } tr.group p { margin: .1rem 0; font-weight: 400 }
.lists th:first-child { max-width: 18rem; min-width: min(14rem, 34vw); overflow-wrap: anywhere; font-weight: 400 } .lists td.text { min-width: 9rem; overflow-wrap: anywhere } .lists .chip { display: inline-block; margin-right: .8rem; overflow-wrap: anywhere }
.folded { border-top: 1px solid var(--line); padding: .2rem 0 } .folded > summary { cursor: pointer; padding: .3rem 0 } .folded > summary > :is(h2, h3) { display: inline; margin-right: .6rem } .folded > div { padding-bottom: .8rem; scroll-margin-top: 6rem } :not(.folded) + .folded { margin-top: 1.2rem } .finding { padding-left: 1rem }
.leads { margin: .6rem 0; line-height: 2 } .leads a { margin-right: .8rem; white-space: nowrap }
.wide th:first-child { position: sticky; left: 0; background: var(--ground); z-index: 1; max-width: 22rem } .wide thead th:not(:first-child, .text) { text-align: center } .wide .cell:has(> .whole) { white-space: normal } .wide td { padding: .25rem .35rem; text-align: center } .wide td.text { text-align: left; padding-left: .8rem }
@media (min-width: 40.01rem) { .wide .cell:has(> .whole) { font-size: .85em } th code { white-space: nowrap } .wide thead th { min-width: 0; vertical-align: bottom } .wide thead th:not(:first-child, .text) { padding: .25rem .35rem } .wide thead th:not(:first-child, .text) > span { display: inline-block; writing-mode: vertical-rl; transform: rotate(180deg); white-space: nowrap; text-align: left } }
@media (max-width: 40rem) {
  .sides { grid-template-columns: 1fr }
  .bars { grid-template-columns: 1fr max-content } .bar-name { grid-column: 1 / -1; text-align: left; max-width: none }
  .fold, .fold tbody, .fold caption { display: block } .fold thead { display: none } .fold tr { display: block; border: 1px solid var(--line); border-radius: 4px; margin: .5rem 0; padding: .2rem .5rem }
  .fold th, .fold td { display: flex; flex-wrap: wrap; justify-content: flex-end; gap: .1rem .8rem; text-align: right; border: 0; padding: .1rem 0; min-width: 0; overflow-wrap: anywhere } .fold th { display: block; text-align: left } .fold td.text { display: block; text-align: left } .fold td.text::before { margin-right: .8rem } .fold tr.group { border: 0; margin-bottom: 0 }
  .chips tr { display: flex; flex-wrap: wrap; gap: .1rem .9rem } .chips th:first-child { position: static; flex: 0 0 100%; max-width: none } .chips td { gap: .3rem } .chips td.text { flex: 0 0 100%; padding-left: 0 } .wide td:has(> .quiet:only-child), .chips td:empty { display: none }
  .fold td::before { color: var(--quiet); margin-right: auto } [data-language="en"] .fold td::before { content: attr(data-en) } [data-language="zh"] .fold td::before { content: attr(data-zh) }
}
@media print { .bar button, .no-print { display: none } .folded::details-content { content-visibility: visible; block-size: auto } .folded .bytes { max-height: none } body { font-size: 11pt } h2, h3 { break-after: avoid } table, svg { break-inside: avoid } }
`
