import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import * as prettier from 'prettier'
import { describe, expect, it } from 'vitest'

import { FORMATS } from '../src/index.ts'
import { untranslated } from './pages/chinese-cells.ts'
import { chineseFormatPage, chineseIssuesPage } from './pages/chinese-page.ts'
import { chineseProtocolPage, PROTOCOL_PAGES } from './pages/chinese-protocol-page.ts'
import { formatPage, formatsOf } from './pages/format-page.ts'

const DOCS = resolve(import.meta.dirname, '../../../docs')
const FOLDER = resolve(import.meta.dirname, '../src/formats')
const FOLDERS = readdirSync(FOLDER).filter((name) => statSync(`${FOLDER}/${name}`).isDirectory())
/** These three have a reader of their own, and pages that were written by hand. */
const BY_HAND = ['nous', 'qwen', 'react']
const MADE = FOLDERS.filter((name) => !BY_HAND.includes(name))

describe('docs/formats', () => {
  it.each(MADE)(
    '%s.md is what the README of the folder and the format say now (UPDATE_PAGES=1 writes it)',
    async (name) => expectPage(`formats/${name}.md`, await formatPage(name)),
  )

  it.each(FOLDERS)('zh: the frame of %s.md is that of the format now, its headings outside of code', async (name) => {
    const page = await chineseFormatPage(name)

    expect(page.replaceAll(/^(`{3,})[^`\n]*\n[^]*?^\1$/gm, '')).toContain('\n## 概览\n')
    await expectPage(`zh/formats/${name}.md`, page)
  })

  it.each(PROTOCOL_PAGES)(
    'zh: the frame of %s.md has the code of the English page, each block under its words',
    async (name) => {
      const page = chineseProtocolPage(name)

      expect(page).not.toMatch(/\n\n\n/)
      await expectPage(`zh/formats/${name}.md`, page)
    },
  )

  it('zh: every phrase in a table of a README is translated', async () => {
    const pages = await Promise.all(FOLDERS.map(async (name) => [name, await chineseFormatPage(name)] as const))
    const missing = pages.flatMap(([name, page]) =>
      (page.split('## 概览')[0]?.match(/^(?:\|.*\n)+/gm) ?? []).flatMap(untranslated).map((cell) => `${name}: ${cell}`),
    )

    expect(missing).toEqual([])
  })

  it('zh: issues.md says what every code means', async () => expectPage('zh/formats/issues.md', chineseIssuesPage()))

  it('has a page for every format of the registry, and the index of the documents links it', async () => {
    const index = readFileSync(`${DOCS}/README.md`, 'utf8')
    const byFolder = await Promise.all(FOLDERS.map(async (folder) => [folder, await formatsOf(folder)] as const))

    expect(byFolder.flatMap(([, formats]) => formats.map(({ id }) => id)).toSorted()).toEqual(
      FORMATS.map(({ id }) => id).toSorted(),
    )
    const chinese = readFileSync(`${DOCS}/zh/README.md`, 'utf8')
    for (const name of [...byFolder.map(([folder]) => folder), ...PROTOCOL_PAGES]) {
      expect(index).toContain(`(formats/${name}.md)`)
      expect(chinese).toContain(`(formats/${name}.md)`)
    }
  })
})

/** Holds a file of docs to what it should be, or writes it. */
async function expectPage(file: string, text: string): Promise<void> {
  const path = `${DOCS}/${file}`
  const options = await prettier.resolveConfig(path)
  const page = await prettier.format(text, { ...options, parser: 'markdown' })
  if (process.env['UPDATE_PAGES'] === '1') writeFileSync(path, page)

  expect(existsSync(path) ? readFileSync(path, 'utf8') : '').toBe(page)
}
