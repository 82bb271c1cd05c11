import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { renderConformance } from '../src/conformance/page.ts'
import { renderEvaluation } from '../src/evaluation/page.ts'
import { renderFuzz } from '../src/fuzz/page.ts'
import { conformanceReport, fuzzReport, hostileReport, smallReport } from './helpers/reports.ts'

/** Debian's, or the one that the variable names. */
const CHROMIUM = process.env['CALLSPEC_CHROMIUM'] ?? '/usr/bin/chromium'

const ARGUMENTS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
]

describe.skipIf(!existsSync(CHROMIUM))(
  'the page in Chromium (skipped where there is none; .ci/run installs it)',
  () => {
    let browser: Browser | null = null
    let folder = ''
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'callspec-page-'))
      browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS })
    })
    afterAll(async () => {
      await browser?.close()
      rmSync(folder, { recursive: true, force: true })
    })

    /** Opens a page; gives it with everything that its console said. */
    async function open(html: string): Promise<{ readonly page: Page; readonly said: readonly string[] }> {
      const path = join(folder, `${readdirSync(folder).length}.html`)
      writeFileSync(path, html)
      if (browser === null) throw new Error('there is no browser')
      const page = await browser.newPage()
      const said: string[] = []
      page.on('console', (message) => said.push(message.text()))
      page.on('pageerror', (error) => said.push(error.message))
      page.on('request', (request) => {
        if (!request.url().startsWith('file:')) said.push(`asked for ${request.url()}`)
      })
      await page.goto(`file://${path}`)
      return { page, said }
    }

    it('opens without an error or a request, and shows the four sentences', async () => {
      const { page, said } = await open(renderEvaluation(smallReport()))

      expect(await page.locator('dt:visible').allTextContents()).toHaveLength(4)
      expect(await page.locator('[data-sentence="which"] [lang="en"]').first().isVisible()).toBe(true)
      expect(said).toEqual([])
    })

    it('leads from a cell of the tasks to its episodes, with the keyboard alone', async () => {
      const { page, said } = await open(renderEvaluation(smallReport()))

      await page.locator('button[data-show-episodes]').first().focus()
      await page.keyboard.press('Enter')

      expect(await page.locator('.conversation h3').textContent()).toContain('S01')
      expect(await page.evaluate('document.activeElement.tagName')).toBe('H3')
      expect(await page.locator('.turn').count()).toBeGreaterThan(0)
      expect(said).toEqual([])
    })

    it('changes its language', async () => {
      const { page } = await open(renderEvaluation(smallReport()))

      await page.locator('button[data-set-language="zh"]').click()

      expect(await page.locator('h1 [lang="zh"]').isVisible()).toBe(true)
      expect(await page.locator('h1 [lang="en"]').isVisible()).toBe(false)
      expect(await page.evaluate('document.documentElement.lang')).toBe('zh')
    })

    it('shows hostile text as text, and runs none of it', async () => {
      const { page, said } = await open(renderEvaluation(hostileReport()))

      await page.locator('button[data-show-episodes]').first().click()
      const shown = await page.locator('.conversation').textContent()

      expect(await page.evaluate('window.attacked')).toBeUndefined()
      expect(await page.locator('img, iframe, script[src]').count()).toBe(0)
      expect(shown).toContain('</script><script>window.attacked = 1</script>')
      expect(shown).toContain('\\u202e')
      expect(shown).not.toMatch(/[\u202e\u0000\u001b]/)
      expect(said).toEqual([])
    })

    it.each([
      ['the matrix', renderConformance(conformanceReport())],
      ['findings', renderFuzz(fuzzReport())],
    ])('shows %s with hostile text as text, without an error', async (_, html) => {
      const { page, said } = await open(html)

      for (const details of await page.locator('details').all()) await details.locator('summary').click()

      expect(await page.evaluate('window.attacked')).toBeUndefined()
      expect(await page.locator('img, iframe, script[src]').count()).toBe(0)
      expect(await page.locator('main').textContent()).toContain('<script>window.attacked = 1</script>')
      expect(said).toEqual([])
    })

    it.each([
      ['an evaluation', renderEvaluation(smallReport())],
      ['the matrix', renderConformance(conformanceReport())],
    ])('fits on a telephone: %s', async (_, html) => {
      const { page } = await open(html)

      await page.setViewportSize({ width: 380, height: 800 })

      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380)
    })

    it('leads from a cell of the matrix to its failing cases, with the keyboard alone', async () => {
      const { page, said } = await open(renderConformance(conformanceReport()))

      await page.locator('td a', { hasText: '1/2' }).nth(2).focus()
      await page.keyboard.press('Enter')

      expect(await page.locator('.compared h3').textContent()).toContain('\\u202e')
      expect(await page.evaluate('document.activeElement.tagName')).toBe('H3')
      expect(await page.locator('.episode-list a').count()).toBe(1)
      expect(await page.locator('.answers > section').count()).toBe(3)
      expect(await page.locator('.answers mark').textContent()).toBe('!')
      expect(await page.evaluate('window.attacked')).toBeUndefined()
      expect(said).toEqual([])
    })

    it('opens a case by its address, and equal answers stand together, recorded ones marked', async () => {
      const { page } = await open(renderConformance(conformanceReport()))
      await page.goto(`${page.url()}#case=${encodeURIComponent('nous/parse/basic#one call')}`)

      expect(await page.locator('.compared h3').textContent()).toBe('nous/parse/basic#one call')
      expect(await page.locator('.answers > section').count()).toBe(2)
      expect(await page.locator('.answers small').first().textContent()).toContain('recorded')

      await page.locator('.episode-list a').first().click()

      expect(await page.locator('.compared h3').textContent()).toContain('<script>')
    })

    it('finds cases by a text and by whether two differ', async () => {
      const { page } = await open(renderConformance(conformanceReport()))
      const listed = page.locator('.episode-list a')

      await page.locator('input[type="search"]').fill('CLOCK({})')
      expect(await listed.allTextContents()).toEqual([expect.stringContaining('one call')])
      await page.locator('input[type="search"]').fill('')
      await page.locator('input[data-filter="differing"]').check()

      expect(await listed.allTextContents()).toEqual([expect.stringContaining('<script>')])
    })

    it('has colours of its own for the dark', async () => {
      const { page } = await open(renderConformance(conformanceReport()))
      const ground = (): Promise<unknown> => page.evaluate('getComputedStyle(document.body).backgroundColor')
      const light = await ground()
      await page.emulateMedia({ colorScheme: 'dark' })

      expect(await ground()).not.toBe(light)
    })
  },
)
