import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'

/** Debian's, or the one that the variable names. */
const CHROMIUM = process.env['CALLSPEC_CHROMIUM'] ?? '/usr/bin/chromium'

export const HAS_CHROMIUM = existsSync(CHROMIUM)

const ARGUMENTS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
]

interface OpenedPage {
  readonly page: Page
  /** Everything that its console said, and what it asked for elsewhere. */
  readonly said: readonly string[]
}

export interface OpenPages {
  readonly open: (
    given: { readonly html: string; readonly files?: ReadonlyMap<string, string> },
    hash?: string,
  ) => Promise<OpenedPage>
  readonly browser: () => Browser | null
  /** A folder that is deleted after the tests. */
  readonly folder: () => string
}

/** Starts a Chromium before the tests of a block, and ends it after them. */
export function openPages(): OpenPages {
  let browser: Browser | null = null
  // One for all pages: each of its own costs as much as a page.
  let context: BrowserContext | null = null
  let folder = ''
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'callspec-page-'))
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS })
    context = await browser.newContext()
  })
  afterAll(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    browser: () => browser,
    folder: () => folder,
    open: async ({ html, files = new Map<string, string>() }, hash = '') => {
      const path = join(mkdtempSync(join(folder, 'page-')), 'report.html')
      writeFileSync(path, html)
      if (files.size > 0) mkdirSync(join(dirname(path), 'report-data'))
      for (const [name, text] of files) writeFileSync(join(dirname(path), name), text)
      if (context === null) throw new Error('there is no browser')
      const page = await context.newPage()
      onTestFinished(() => page.close())
      const said: string[] = []
      page.on('console', (message) => said.push(message.text()))
      page.on('pageerror', (error) => said.push(error.message))
      page.on('request', (request) => {
        if (!request.url().startsWith('file:')) said.push(`asked for ${request.url()}`)
      })
      await page.goto(`file://${path}${hash}`)
      return { page, said }
    },
  }
}
