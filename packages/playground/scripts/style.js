/** The style of the playground, in addition to that of all pages. */
export const STYLE = `
:root { --reasoning: #eef1f4; --call-odd: #e3d6ff; --harm: #ffe3e0; --token: #dbeafe }
@media (prefers-color-scheme: dark) { :root { --reasoning: #232b34; --call-odd: #40306090; --harm: #4a1d1a; --token: #12304f } }
.tabs { display: flex; gap: .3rem; border-bottom: 1px solid var(--line); margin: .8rem 0; flex-wrap: wrap }
.tabs button { border-radius: 6px 6px 0 0; border-bottom: 0; padding: .3rem 1rem } .tabs button[aria-selected="true"] { background: var(--ground); border-color: var(--link); font-weight: 600; box-shadow: 0 2px 0 var(--ground) }
.link { text-align: right; margin: .3rem 0 } [hidden] { display: none !important }
textarea { width: 100%; font: .9em/1.5 ui-monospace, "Cascadia Mono", Menlo, Consolas, "Noto Sans Mono CJK SC", monospace; color: var(--text); background: var(--panel); border: 1px solid var(--line); padding: .5rem; resize: vertical }
.field-head { display: flex; justify-content: space-between; flex-wrap: wrap; gap: .3rem 1rem; margin: .4rem 0 .2rem } .field-head > label:first-child { font-weight: 600 } .file { color: var(--quiet); font-size: .85em } .file { cursor: pointer; text-decoration: underline } .file input { position: absolute; opacity: 0; width: 1px; height: 1px } .file:focus-within { outline: 3px solid var(--link); outline-offset: 2px } .hint { margin: .2rem 0; font-size: .85em }
.controls { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; margin: .5rem 0 } .controls label { margin: 0 } .examples button { margin: .15rem .3rem .15rem 0 }
.outcome { font-size: 1.1rem; margin: .8rem 0 .2rem } .identified p { margin: .2rem 0 } .identified td.text { text-align: left }
.marked { line-height: 1.8; max-height: 40rem; overflow: auto } .mark { border-radius: 3px; padding: .1em 0; border-bottom: 2px solid transparent; cursor: help }
.mark.look-rest { color: var(--quiet); border-bottom: 2px dotted var(--line) } .mark.look-reasoning { background: var(--reasoning); font-style: italic; border-bottom-color: var(--quiet) } .mark.look-text { border-bottom-color: var(--s2) }
.mark.look-call { background: var(--call); border-bottom-color: var(--s1) } .mark.look-call.odd { background: var(--call-odd) }
.mark.look-note { border-bottom: 3px double var(--warn) } .mark.look-harm { background: var(--harm); border-bottom: 3px solid var(--bad) } .mark:focus-visible { outline: 3px solid var(--link); outline-offset: 1px }
.tip { position: absolute; z-index: 1; max-width: min(36rem, calc(100vw - 8px)); background: var(--ground); border: 1px solid var(--quiet); border-radius: 4px; box-shadow: 0 2px 10px #0006; padding: .3rem .6rem; overflow-wrap: anywhere } .tip p { margin: .2rem 0 }
.tip .look-harm > span, .items .look-harm .kind > span { color: var(--bad); font-weight: 600 } .tip .look-note > span, .items .look-note .kind > span { color: var(--warn); font-weight: 600 }
[data-language="en"] .tip [lang="zh"], [data-language="zh"] .tip [lang="en"] { display: none }
.items { list-style: none; margin: 0; padding: 0 } .items li { border-left: 4px solid var(--line); padding-left: .6rem; margin: .4rem 0 } .items .kind { margin: 0; overflow-wrap: anywhere } .items pre { margin: .1rem 0; max-height: 14rem }
.items .look-call { border-left-color: var(--s1) } .items .look-text { border-left-color: var(--s2) } .items .look-harm { border-left-color: var(--bad) } .items .look-note { border-left-color: var(--warn) }
.replay-controls { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem } .replay-controls input { flex: 1 1 14rem; min-width: 8rem; accent-color: var(--link) } .caret { border-left: 2px solid var(--bad); margin: 0 1px } .to-come { opacity: .45 } .arrived { max-height: 16rem } .arrived .mark { cursor: auto }
.alike { margin: .2rem 0; padding-left: 1.2rem } .alike button { margin: .1rem .3rem .1rem 0 } .token { background: var(--token); border-radius: 3px; outline: 1px solid var(--s0); outline-offset: -1px } .finding { margin: .4rem 0 } .notice ul { margin: .2rem 0 } summary { cursor: pointer }
.engines h3 { margin: .4rem 0 0 } .engines .verdict-line { font-weight: 600 } .engines .verdict-line.quiet { font-weight: 400 } .deviations { margin: .2rem 0; padding-left: 1.1rem; max-height: 32rem; overflow-y: auto } .deviations li { margin: .6rem 0 } .deviations pre { max-height: 10rem }
.drop { border: 2px dashed var(--line); border-radius: 6px; padding: .4rem .8rem; margin: .6rem 0 } .drop.over { border-color: var(--link); background: var(--panel) } .drop .field-head > span:first-child { font-weight: 600 } .pickers { display: flex; gap: .8rem }
.address { display: flex; gap: .5rem; margin: .2rem 0 } .address input { flex: 1 1 auto; min-width: 0; font: inherit; color: var(--text); background: var(--panel); border: 1px solid var(--line); padding: .3rem .5rem } .address button[disabled] { opacity: .5 }
.addresses { margin: .2rem 0 .6rem; padding-left: 1.1rem; font-size: .85em; overflow-wrap: anywhere } .command { margin: .3rem 0; font-size: .85em; overflow-wrap: anywhere } code.stop { margin-right: .4rem }
.glance { display: flex; flex-wrap: wrap; gap: .4rem; margin: 1rem 0 0 } .fact { border: 1px solid currentColor; border-radius: 1rem; padding: .1rem .7rem; font-weight: 600 } #pane-model .marked { max-height: 22rem } p.finding { margin: .4rem 0 }
.model-source .bad { overflow-wrap: anywhere }
@media (max-width: 50rem) { .sides { grid-template-columns: 1fr } main, .bar { padding: 0 .7rem } .tabs button { padding: .3rem .7rem } }
`
