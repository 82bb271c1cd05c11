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

/** A page on its side of models, with the addresses that it asked for and what its console said. */
export interface OpenedPage {
  readonly page: Page
  readonly asked: readonly string[]
  readonly said: readonly string[]
}

/** The page as a file, and as the program serves it, in a browser of this test file. Call it in `describe`. */
export function modelPages(): {
  readonly inFile: (state?: Partial<PlaygroundState>) => Promise<OpenedPage>
  readonly served: (state?: Partial<PlaygroundState>) => Promise<OpenedPage>
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
  const open = async (address: string, state: Partial<PlaygroundState>): Promise<OpenedPage> => {
    if (browser === null) throw new Error('there is no browser')
    const page = await browser.newPage()
    const asked: string[] = []
    const said: string[] = []
    page.on('console', (message) => said.push(message.text()))
    page.on('pageerror', (error) => said.push(error.message))
    await page.goto(address + (await writeLink({ ...EMPTY_STATE, panel: 'model', ...state })))
    page.on('request', (request) => {
      if (!/^(?:file|blob):/.test(request.url())) asked.push(request.url())
    })
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
