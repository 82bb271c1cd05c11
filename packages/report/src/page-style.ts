/** The style of all pages: light and dark, on paper, and with colours that are never the only sign of anything. */
export const PAGE_STYLE: string = `
:root {
  color-scheme: light dark;
  --ground: #fff; --text: #1b1f24; --quiet: #57606a; --line: #d0d7de; --panel: #f6f8fa; --link: #0550ae;
  --good: #1a7f37; --bad: #b3261e; --warn: #8a5a00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14181d; --text: #e6edf3; --quiet: #9aa7b4; --line: #38414a; --panel: #1c2229; --link: #79b8ff;
    --good: #5bd67a; --bad: #ff8d85; --warn: #e3b341;
  }
}
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
@media print { .bar button, .no-print { display: none } body { font-size: 11pt } h2, h3 { break-after: avoid } table, svg { break-inside: avoid } }
`
