import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serveFolder } from './helpers/serve-folder.ts'
import type { ServedFolder } from './helpers/serve-folder.ts'

/** Debian's, or the one that the variable names. */
const CHROMIUM = process.env['CALLSPEC_CHROMIUM'] ?? '/usr/bin/chromium'
const SCRIPT = fileURLToPath(new URL('../scripts/build-compat.mjs', import.meta.url))

const folder = mkdtempSync(join(tmpdir(), 'callspec-compat-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The first case with a page, and its address. */
function firstCase(): { readonly id: string; readonly path: string } {
  const [first] = JSON.parse(readFileSync(join(folder, 'search.json'), 'utf8')) as readonly {
    id: string
    path: string
  }[]
  if (first === undefined) throw new Error('no engine differs on any case')
  return first
}

describe('the compatibility site of the data of today', () => {
  it('is built with links that lead somewhere, below 60 MB and 180 s of CPU', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, folder])
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => statSync(join(folder, name)))
    const bytes = files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)

    expect(bytes).toBeLessThan(60e6)
    expect(Number(/([\d.]+) s of CPU/.exec(stdout)?.[1])).toBeLessThan(180)
  }, 200_000)
})

describe.skipIf(!existsSync(CHROMIUM))('its pages in Chromium (skipped without it; .ci/run installs it)', () => {
  let browser: Browser | null = null
  let served: ServedFolder | null = null
  beforeAll(async () => {
    served = await serveFolder(folder)
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
  })
  afterAll(async () => {
    await browser?.close()
    await served?.close()
  })

  async function open(
    path: string,
    width: number,
    locale = 'en-GB',
  ): Promise<{ readonly page: Page; readonly said: readonly string[] }> {
    if (browser === null || served === null) throw new Error('there is no browser')
    const context = await browser.newContext({ viewport: { width, height: 844 }, locale })
    const page = await context.newPage()
    const said: string[] = []
    page.on('console', (message) => said.push(message.text()))
    page.on('pageerror', (error) => said.push(error.message))
    await page.goto(`${served.address}/${path}`, { waitUntil: 'networkidle' })
    return { page, said }
  }

  it.each([1280, 390])('fit into %d pixels, in both languages, without a complaint of the browser', async (width) => {
    const engine = readdirSync(join(folder, 'engines'))[0] ?? ''
    for (const locale of ['en-GB', 'zh-CN']) {
      for (const path of ['index.html', `engines/${engine}`, firstCase().path, 'case.html']) {
        const { page, said } = await open(path, width, locale)
        const tooWide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')

        expect([path, tooWide, said]).toEqual([path, 0, []])
        expect(await page.locator('html').getAttribute('lang')).toBe(locale.slice(0, 2))
        await page.context().close()
      }
    }
  })

  it('are searched by words and by symptom, with the keyboard alone', async () => {
    const { page } = await open('index.html', 1280)
    const { id } = firstCase()

    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.locator('#words').focus()
    await page.keyboard.type(id.split('#')[0] ?? '')
    await page.locator('#results a').first().waitFor()
    const found = await page.locator('#results a').allInnerTexts()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    const pressed = await page.locator('button[data-symptom][aria-pressed="true"]').count()

    expect(found).toContain(id)
    expect(pressed).toBe(1)
  })

  it('lead from the matrix to an engine, from there to a case, and show any other case', async () => {
    const { page, said } = await open('index.html', 1280)

    const [line = ''] = readFileSync(join(folder, 'data/nous.jsonl'), 'utf8').split('\n')
    const { id: other } = JSON.parse(line) as { readonly id: string }
    await page.locator('#matrix a.cell').first().click()
    await page.locator('.ids').first().waitFor({ state: 'attached' })
    await page.locator('details:has(.ids) summary').first().click()
    await page.locator('.ids a:visible').first().click()
    expect(await page.locator('#repeat pre').count()).toBeGreaterThan(1)
    await page.goto(`${served?.address ?? ''}/case.html#${encodeURIComponent(other)}`)
    await page.locator('#case h2').waitFor()

    expect(await page.locator('#case h2').innerText()).toBe(other)
    expect(said).toEqual([])
  })
})
