// Writes dist/playground.html: markup, style, what engines answered, and one script with all that it needs; a policy allows nothing else.
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileFunction } from 'node:vm'
import { rolldown } from 'rolldown'
import { dataBlock, PAGE_STYLE } from '@callspec/report'
import { adviceRecords } from './engine-advice.js'
import { engineRecords } from './engine-records.js'
import { STYLE } from './style.js'

const HERE = dirname(fileURLToPath(import.meta.url))

/** The page as one HTML file. */
export async function playgroundHtml() {
  const code = await script()
  const { rows, ...lists } = await engineRecords()
  const { markup: engines } = dataBlock('engine-records', { ...lists, rows: columnsOf(rows) })
  const { markup: advice } = dataBlock('engine-advice', columnsOf(adviceRecords()))
  const hash = createHash('sha256').update(code).digest('base64')
  // The worker is the same script, as a blob: no address is ever asked for anything.
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'; worker-src blob:; base-uri 'none'; form-action 'none'`
  return `<!doctype html>
<html lang="en" data-language="en" data-language-of="browser">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>callspec playground</title>
<style>${PAGE_STYLE}${STYLE}</style>
</head>
<body>
<header class="bar"><p class="brand">callspec playground</p><p class="languages" role="group" aria-label="Language / 语言">
<button type="button" data-set-language="en" lang="en-GB">English</button> <button type="button" data-set-language="zh" lang="zh-CN">中文</button></p></header>
<main>
<h1><span lang="en">What did the model say, and what was it shown?</span><span lang="zh">模型说了什么，又看到了什么？</span></h1>
<p class="quiet"><span lang="en">Everything happens in this page. Pasted texts and files do not leave it; a link contains the texts after its #.</span><span lang="zh">一切都在本页中进行。粘贴的内容和文件不会离开本页；链接把文本放在 # 之后。</span></p>
<noscript><p class="bad">This page is a program in JavaScript. 本页需要 JavaScript。</p></noscript>
<div id="playground"></div>
</main>
${engines}
${advice}
<script>${code}</script>
</body>
</html>
`
}

/** Rows of equal members as `Columns` of `src/columns.ts`. */
function columnsOf(rows) {
  return Object.fromEntries(Object.keys(rows[0] ?? {}).map((name) => [name, rows.map((row) => row[name])]))
}

async function script() {
  const bundle = await rolldown({
    input: join(HERE, '../page/main.ts'),
    platform: 'browser',
    resolve: { conditionNames: ['@callspec/source', 'import', 'default'] },
  })
  // As one module, since the form `iife` puts every module into a function of its own as soon as an entry of core has an import().
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  if (output.length !== 1)
    throw new Error(`the page needs one script, not ${output.length}: something in it is imported by import()`)
  const wrapped = `(()=>{"use strict";${output[0].code.trim()}})()`
  // The script contains markers of formats and tags of templates in texts and patterns, where an escape means the same.
  const code = wrapped.replaceAll(/<(?=!--|\/script)/gi, () => '\\x3c')
  // Anywhere else it would mean something else; then the script cannot be read.
  compileFunction(code)
  return code
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const target = join(HERE, '../dist/playground.html')
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, await playgroundHtml())
}
