import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { serveFolder } from './helpers/serve-folder.ts'
import type { ServedFolder } from './helpers/serve-folder.ts'

/** Debian's, or the one that the variable names. */
const CHROMIUM = process.env['CALLSPEC_CHROMIUM'] ?? '/usr/bin/chromium'

const SITE = fileURLToPath(new URL('../', import.meta.url))
const run = promisify(execFile)

/** Builds a site with the command that `pnpm docs:build` runs. */
async function build(folder: string, out: string): Promise<{ readonly code: number; readonly said: string }> {
  const words = [join(SITE, 'node_modules/vitepress/bin/vitepress.js'), 'build', folder, '--outDir', out]
  const { NODE_ENV: _, VITEST: __, ...env } = process.env
  try {
    const { stdout, stderr } = await run(process.execPath, words, { cwd: SITE, env })
    return { code: 0, said: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as {
      readonly code: number
      readonly stdout: string
      readonly stderr: string
    }
    return { code, said: stdout + stderr }
  }
}

const temporary = mkdtempSync(join(tmpdir(), 'callspec-site-'))
afterAll(() => rmSync(temporary, { recursive: true, force: true }))

describe('a build', () => {
  it('fails with a dead link, and says where it is', async () => {
    const folder = join(temporary, 'small')
    mkdirSync(join(folder, 'docs/zh'), { recursive: true })
    mkdirSync(join(folder, '.vitepress'))
    symlinkSync(join(SITE, '../../node_modules'), join(folder, 'node_modules'))
    const config = join(SITE, 'src/site-config.ts')
    writeFileSync(
      join(folder, '.vitepress/config.ts'),
      `import { siteConfig } from ${JSON.stringify(config)}\nexport default siteConfig(${JSON.stringify(folder)}, '')\n`,
    )
    writeFileSync(join(folder, 'docs/README.md'), '# Docs\n\n[there](zh/README.md), [nowhere](gone.md), [nor](#here)\n')
    writeFileSync(join(folder, 'docs/zh/README.md'), '# 文档\n')

    const { code, said } = await build(folder, join(folder, 'out'))

    expect(said).toContain('docs/README.md: nothing is at "gone.md".')
    expect(said).toContain('docs/README.md: "#here" has no such heading.')
    expect(said).not.toContain('zh/README.md"')
    expect(code).toBe(1)
  })
})

describe.skipIf(!existsSync(CHROMIUM))('the site in Chromium (skipped without it; .ci/run installs it)', () => {
  let browser: Browser | null = null
  let served: ServedFolder | null = null
  beforeAll(async () => {
    const out = join(temporary, 'site')
    const { code, said } = await build(SITE, out)
    if (code !== 0) throw new Error(said)
    served = await serveFolder(out)
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
  })
  afterEach(async () => {
    for (const context of browser?.contexts() ?? []) await context.close()
  })
  afterAll(async () => {
    await browser?.close()
    await served?.close()
  })

  /** Opens a page; gives it with everything that its console said, and that it asked for elsewhere. */
  async function open(
    path: string,
    viewport = { width: 1280, height: 800 },
  ): Promise<{ readonly page: Page; readonly said: readonly string[] }> {
    if (browser === null || served === null) throw new Error('there is no browser')
    const { address } = served
    const page = await browser.newPage({ viewport })
    const said: string[] = []
    page.on('console', (message) => said.push(message.text()))
    page.on('pageerror', (error) => said.push(error.message))
    page.on('request', (request) => {
      if (!request.url().startsWith(address) && !request.url().startsWith('data:')) said.push(`asked ${request.url()}`)
    })
    await page.goto(address + path, { waitUntil: 'networkidle' })
    return { page, said }
  }

  async function search(page: Page, words: string): Promise<string> {
    await page.keyboard.press('Control+k')
    await page.locator('.VPLocalSearchBox input').fill(words)
    await page.locator('.VPLocalSearchBox .result').first().waitFor()
    return page.locator('.VPLocalSearchBox .results').innerText()
  }

  it('opens on the index, sends no request to another server, and finds a law by its name', async () => {
    const { page, said } = await open('/')

    const results = await search(page, 'think-isolation')
    await page.locator('.VPLocalSearchBox .result[href*="/laws.html"]').first().click()
    // The address changes before the page does.
    await page.locator('main h1', { hasText: 'The laws' }).waitFor()

    expect(results).toContain('The laws')
    expect(page.url()).toMatch(/\/laws/)
    expect(said).toEqual([])
  })

  it.each([
    ['/', 'tool calls missing', 'symptoms/tool-calls-missing.html'],
    ['/', 'garbled stream', 'symptoms/garbled-stream.html'],
    ['/', 'arguments empty', 'symptoms/arguments-empty.html'],
    ['/', 'model loops', 'symptoms/model-loops.html'],
    ['/', 'github action', 'symptoms/github-action.html'],
    ['/', 'tool calls not working', 'symptoms/tool-calls-missing.html'],
    ['/', 'function calling not working', 'symptoms/tool-calls-missing.html'],
    ['/', 'infinite loop', 'symptoms/model-loops.html'],
    ['/', 'same tool called again', 'symptoms/model-loops.html'],
    ['/', 'streaming broken', 'symptoms/garbled-stream.html'],
    ['/zh/', '参数为空', 'zh/symptoms/arguments-empty.html'],
  ])('from %s the words "%s" find the page of the symptom first', async (path, words, page) => {
    const opened = await open(path)

    await search(opened.page, words)
    const first = opened.page.locator('.VPLocalSearchBox .result').first()
    await expect.poll(() => first.getAttribute('href')).toContain(page)
  })

  it('has llms.txt, whose links lead to the Markdown of pages', async () => {
    const address = served?.address ?? ''
    const text = await (await fetch(`${address}/llms.txt`)).text()
    const links = Array.from(text.matchAll(/\]\(([^)]+)\)/g), ([, link = '']) => link)

    expect(links.length).toBeGreaterThan(60)
    for (const link of links) expect([link, (await fetch(`${address}/${link}`)).status]).toEqual([link, 200])
  })

  it('shows templates and tags as they are written', async () => {
    const { page, said } = await open('/ci.html')
    const ci = await page.locator('main').innerText()
    await page.goto(page.url().replace('ci.html', 'laws.html'))
    const laws = await page.locator('main').innerText()

    expect(ci).toContain('${{ secrets.OPENAI_API_KEY }}')
    expect(laws).toContain('Text before the first <tool_call> is prose')
    expect(said).toEqual([])
  })

  it('hides the comments of the Markdown', async () => {
    const { page } = await open('/symptoms/garbled-stream.html')
    const text = await page.locator('main').innerText()

    expect(text).not.toContain('not played')
    expect(text).toContain('callspec proxy check stream.log')
  })

  it('speaks Chinese on its Chinese pages, and finds what they say', async () => {
    const { page, said } = await open('/zh/')

    const results = await search(page, '停止词')

    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN')
    expect(await page.locator('.VPNavBarSearch').innerText()).toContain('搜索')
    expect(results).toContain('评测你的模型')
    expect(said).toEqual([])
  })

  it.each([
    '/',
    '/engines.html',
    '/coverage.html',
    '/symptoms/garbled-stream.html',
    '/zh/evaluating-your-model.html',
    '/formats/nous.html',
  ])('keeps %s within 390 pixels', async (path) => {
    const { page } = await open(path, { width: 390, height: 844 })

    const width = await page.evaluate<number>('document.documentElement.scrollWidth')

    expect(width).toBeLessThanOrEqual(390)
  })

  it('shows the coverage within 390 pixels, without a part that scrolls by itself', async () => {
    const { page } = await open('/coverage.html', { width: 390, height: 844 })

    const wider = await page.evaluate<readonly string[]>(
      `[...document.querySelectorAll('main table, main pre')].flatMap((each) => each.scrollWidth > each.clientWidth ? [each.textContent.slice(0, 40)] : [])`,
    )

    expect(await page.locator('main table').count()).toBe(2)
    expect(wider).toEqual([])
  })

  it('names the file of the repository while its address is not set', async () => {
    const { page } = await open('/formats/role-react.html')

    const file = page.locator('main span[title$="reducer.ts"]')

    expect(await file.getAttribute('title')).toBe('packages/eval/src/formats/role-react/reducer.ts')
    expect(await page.locator('main a[href*="blob/HEAD"]').count()).toBe(0)
  })
})
