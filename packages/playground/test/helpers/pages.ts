import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, onTestFinished } from 'vitest'
import { playgroundHtml } from '../../scripts/build-page.js'
import { servedPage } from '../../src/index.ts'
import { EMPTY_STATE, writeLink } from '../../src/state.ts'
import type { PlaygroundState } from '../../src/state.ts'

/** Debian's, or the one that the variable names. */
const CHROMIUM = process.env['CALLSPEC_CHROMIUM'] ?? '/usr/bin/chromium'
const ARGUMENTS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
]

/** Whether these tests can run. */
export const HAS_CHROMIUM = existsSync(CHROMIUM)

/** An opened page, with the addresses that it requested and what its console said, from its first line on. */
export interface OpenedPage {
  readonly page: Page
  readonly asked: readonly string[]
  readonly said: readonly string[]
}

/** Opens the page on a state; on its example for null. */
type OpenPage = (state?: Partial<PlaygroundState> | null) => Promise<OpenedPage>

/** The page as a file, and as the program serves it, in a browser of this test file; `start` is in every state. Call it in `describe`. */
export function playgroundPages(start: Partial<PlaygroundState> = {}): {
  readonly inFile: OpenPage
  readonly served: OpenPage
} {
  let browser: Browser | null = null
  let folder = ''
  let html = ''
  beforeAll(async () => {
    html = await playgroundHtml()
    folder = mkdtempSync(join(tmpdir(), 'callspec-playground-'))
    writeFileSync(join(folder, 'playground.html'), html)
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS })
  })
  afterEach(async () => {
    for (const context of browser?.contexts() ?? []) await context.close()
  })
  afterAll(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const open = async (address: string, state: Partial<PlaygroundState> | null): Promise<OpenedPage> => {
    if (browser === null) throw new Error('there is no browser')
    const page = await browser.newPage()
    const asked: string[] = []
    const said: string[] = []
    page.on('console', (message) => said.push(message.text()))
    page.on('pageerror', (error) => said.push(error.message))
    page.on('request', (request) => {
      const url = request.url()
      if (!/^(?:file|blob):/.test(url) && url.split('#')[0] !== address) asked.push(url)
    })
    await page.goto(address + (state === null ? '' : await writeLink({ ...EMPTY_STATE, ...start, ...state })))
    return { page, asked, said }
  }
  return {
    inFile: async (state = {}) => open(pathToFileURL(join(folder, 'playground.html')).href, state),
    served: async (state = {}) => open(await serve(html), state),
  }
}

/** Serves the page as the program does; gone after the test. */
async function serve(html: string): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(servedPage(html))
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** The visible headings of the side of models. */
export function headings(page: Page): Locator {
  return page.locator('#pane-model h2:visible')
}
