import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { renderConformance } from '../src/conformance/page.ts'
import { renderEvaluation } from '../src/evaluation/page.ts'
import { renderFuzz } from '../src/fuzz/page.ts'
import {
  HOSTILE,
  conformanceReport,
  episodeOf,
  fuzzReport,
  hostileReport,
  reportOf,
  smallReport,
} from './helpers/reports.ts'
import { HAS_CHROMIUM, openPages } from './helpers/open-pages.ts'
import { onlyLong } from '../../tidy/test/share.ts'

const small = renderEvaluation(smallReport())

const MANY = [
  ...['fncall-qwen', 'fncall-nous', 'react', 'role-react', 'qwen3-coder', 'qwen3.5', 'glm-4.5', 'glm-4.7'],
  ...['minimax-m2', 'seed-oss', 'mistral-v3', 'kimi-k2', 'kimi-k2-thinking', 'deepseek-v3', 'deepseek-v3.1'],
  ...['gemma-4', 'llama3-json', 'granite-3', 'harmony'],
] as const

describe.skipIf(!HAS_CHROMIUM)('the page in Chromium (skipped without it; .ci/run installs it)', () => {
  const pages = openPages()
  const { open } = pages

  it('opens without an error or a request, and shows the conclusion', async () => {
    const { page, said } = await open(small)

    expect(await page.locator('[data-sentence="verdict"] [lang="en"]').textContent()).toMatch(
      /^No format is shown to be better /,
    )
    expect(await page.locator('[data-sentence="verdict"] [lang="zh"]').isVisible()).toBe(false)
    expect(said).toEqual([])
  })

  onlyLong(() => {
    it('shows the conversation before the question, folded and as text, and finds it', async () => {
      const earlier = [{ role: 'user', content: `zebra ${HOSTILE}` } as const]
      const episode = { ...episodeOf('m', 'fncall-nous'), earlier }
      const { page, said } = await open(renderEvaluation(reportOf([episode])), '#episode=m/nous/S01/0')
      const box = page.locator('details.earlier')

      await box.waitFor()

      expect(await box.locator('summary [lang="en"]').textContent()).toBe('1 earlier message of the task')
      expect(await box.locator('pre').isVisible()).toBe(false)
      await box.locator('summary').click()
      expect(await box.locator('pre').textContent()).toContain('zebra </script>')
      expect(said).toEqual([])
    })
  })

  onlyLong(() => {
    it('leads from a cell of the tasks to its episodes, with the keyboard alone', async () => {
      const { page, said } = await open(small)

      await page.locator('#grid td a').first().focus()
      await page.keyboard.press('Enter')

      expect(await page.locator('.conversation h3').textContent()).toBe('S01 · m · qwen · seed 0')
      await page.waitForFunction('document.activeElement.tagName === "H3"')
      expect(await page.locator('.question pre').textContent()).toContain('Use the calculator')
      expect(await page.locator('.turn').count()).toBe(1)
      expect(said).toEqual([])
    })
  })

  onlyLong(() => {
    it('leads from a count of a cause to the episodes with that cause', async () => {
      const { page } = await open(small)

      await page.locator('#blame td a', { hasText: /^2/ }).last().click()

      expect(await page.locator('.conversation .blame').first().textContent()).toContain(
        'prompt: the prompt shows no tools',
      )
      expect(await page.locator('[data-found] [lang="en"]').textContent()).toBe('2 of 6 episodes')
      expect(await page.locator('select[data-filter="protocol"]').inputValue()).toBe('react')
    })
  })

  it('opens an episode by its address, goes on with a key, and shows two formats side by side', async () => {
    const { page, said } = await open(small, '#episode=m/react/S02/0')
    const titles = page.locator('.conversation h3')

    await titles.waitFor()

    expect(await titles.allTextContents()).toEqual(['S02 · m · react · seed 0'])
    await page.keyboard.press('j')
    await page.waitForURL(/#episode=m\/react\/S03\/0$/)
    await page.locator('.conversation h3', { hasText: 'S03' }).waitFor()
    await page.locator('.beside').click()
    await page.locator('.conversation h3', { hasText: 'qwen' }).waitFor()

    expect(await titles.allTextContents()).toEqual(['S03 · m · react · seed 0', 'S03 · m · qwen · seed 0'])
    expect(page.url()).toMatch(/#episode=m\/react\/S03\/0&beside=qwen$/)
    expect(said).toEqual([])
  })

  onlyLong(() => {
    it('filters by outcome, by where two formats differ, and by what the texts say', async () => {
      const { page } = await open(small, '#episodes')
      const listed = page.locator('.episode-list a')
      await listed.first().waitFor()

      expect(await listed.count()).toBe(6)
      await page.locator('select[data-filter="outcome"]').selectOption('solved')
      expect(await listed.count()).toBe(4)
      await page.locator('input[data-filter="differing"]').check()
      expect(await listed.allTextContents()).toEqual([
        expect.stringMatching(/S02 #0 qwen/),
        expect.stringMatching(/S03 #0 qwen/),
      ])
      await page.locator('input[data-filter="differing"]').uncheck()
      await page.locator('input[type="search"]').fill('CALCULATOR')
      expect(await listed.count()).toBe(0)
      await page.locator('input[type="search"]').press('Enter')
      await listed.first().waitFor()

      expect(await listed.allTextContents()).toEqual([
        expect.stringMatching(/S01 #0 qwen/),
        expect.stringMatching(/S01 #0 react/),
      ])
      await page.reload()
      await listed.first().waitFor()
      expect(await listed.count()).toBe(2)
    })
  })

  onlyLong(() => {
    it('opens episodes from its data files, without a server', async () => {
      const { page, said } = await open(renderEvaluation(smallReport(), { mostInside: 0 }), '#episode=m/react/S02/0')

      expect(await page.locator('.conversation h3').textContent()).toBe('S02 · m · react · seed 0')
      expect(await page.locator('script[src]').count()).toBe(0)
      expect(said).toEqual([])
    })
  })

  onlyLong(() => {
    it('says which file is missing where one is', async () => {
      const { html } = renderEvaluation(smallReport(), { mostInside: 0 })
      const { page } = await open({ html }, '#episode=m/react/S02/0')

      expect(await page.locator('.stage .bad').textContent()).toContain('report-data/0.js')
    })
  })

  onlyLong(() => {
    it('shows twenty formats of two models without scrolling, on a desk and on a telephone, no name cut', async () => {
      const formats = [...MANY, 'native'] as const
      const { page, said } = await open(
        renderEvaluation(reportOf(['m', 'n'].flatMap((model) => formats.map((format) => episodeOf(model, format))))),
      )
      const overflow = (): Promise<unknown> =>
        page.evaluate(
          `Math.max(...[...document.querySelectorAll('#grid table')].map((t) => t.scrollWidth - t.clientWidth))`,
        )

      expect(await page.locator('#grid h3').allInnerTexts()).toEqual(['m', 'n'])
      expect(await page.locator('#grid table').first().locator('thead th').allInnerTexts()).toEqual([
        'task',
        ...formats.map((format) => format.replace('fncall-', '')),
      ])
      expect(await overflow()).toBe(0)
      const heads = await page.locator('#grid table').first().locator('thead th:not(:first-child) > span').all()
      const boxes = await Promise.all(heads.map((head) => head.boundingBox()))
      expect(boxes.filter((box) => box === null || box.height < box.width)).toEqual([])

      await page.setViewportSize({ width: 390, height: 800 })
      expect(await overflow()).toBe(0)
      const rowHeight = (await page.locator('#grid tbody tr').first().boundingBox())?.height ?? Infinity
      expect(rowHeight).toBeLessThan(10 * 30)
      expect(said).toEqual([])
    })
  })

  onlyLong(() => {
    it('folds comparisons that show nothing where there are many', async () => {
      const { page } = await open(renderEvaluation(reportOf(MANY.map((format) => episodeOf('m', format)))))

      expect(await page.locator('#pairs p [lang="en"]').first().innerText()).toMatch(
        /^None of \d+ comparisons shows a difference\.$/,
      )
      expect(await page.locator('#pairs table').first().isVisible()).toBe(false)
      await page.locator('#pairs summary').click()
      expect(await page.locator('#pairs tbody tr').count()).toBeGreaterThan(500)
    })
  })

  onlyLong(() => {
    it('names what a reader noted, in both languages, and its code on hover alone', async () => {
      const text = 'So.\n<tool_call>\n{"name": "calculator", "arguments": {}}'
      const { page } = await open(
        renderEvaluation(reportOf([episodeOf('m', 'fncall-nous', { text, ending: 'empty' })])),
        '#episode=m/nous/S01/0',
      )
      await page.locator('.raw > summary').click()
      const name = page.locator('.issues strong').first()

      expect(await name.innerText()).toBe('a call without its end')
      expect(await name.getAttribute('title')).toBe('call-not-closed')
      expect(await page.locator('.issues li').first().innerText()).not.toMatch(/call-not-closed|nous:/)
      await page.locator('button[data-set-language="zh"]').click()
      expect(await name.innerText()).toBe('调用没有结束标记')
    })
  })

  onlyLong(() => {
    it('breaks no name and no number of tries on a desk, and stays as wide as the page', async () => {
      const formats = ['fncall-qwen', 'fncall-nous', 'qwen3-coder', 'kimi-k2-thinking'] as const
      const { page } = await open(
        renderEvaluation(
          reportOf(['sim/perfect', 'sim/faulty'].flatMap((m) => formats.map((each) => episodeOf(m, each)))),
        ),
      )
      await page.setViewportSize({ width: 1280, height: 800 })
      const broken = `Array.from(document.querySelectorAll('#comparison th code, #pairs th code, .whole'))
          .filter((each) => each.getClientRects().length > 1).map((each) => each.textContent)`

      expect(await page.locator('#pairs .whole').count()).toBeGreaterThan(10)
      expect(await page.evaluate(broken)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(1280)
    })
  })

  onlyLong(() => {
    it('changes its language', async () => {
      const { page } = await open(small)

      await page.locator('button[data-set-language="zh"]').click()

      expect(await page.locator('h1 [lang="zh"]').isVisible()).toBe(true)
      expect(await page.locator('h1 [lang="en"]').isVisible()).toBe(false)
      expect(await page.evaluate('document.documentElement.lang')).toBe('zh')
    })

    it('opens in the language of the browser, and in the chosen one from then on', async () => {
      const chinese = await pages.browser()?.newContext({ locale: 'zh-CN' })
      if (chinese === undefined) throw new Error('there is no browser')
      onTestFinished(() => chinese.close())
      const path = join(pages.folder(), 'any-language.html')
      writeFileSync(path, renderFuzz({ ...fuzzReport(), language: undefined }))
      const languageShown = (page: Page): Promise<unknown> => page.evaluate('document.documentElement.lang')
      const page = await chinese.newPage()
      await page.goto(`file://${path}`)
      expect(await languageShown(page)).toBe('zh')

      await page.locator('button[data-set-language="en"]').click()

      const another = await chinese.newPage()
      await another.goto(`file://${path}`)
      expect(await languageShown(another)).toBe('en')
      // A page that was made for one language opens in it.
      await another.goto(`file://${writtenFor('zh')}`)
      expect(await languageShown(another)).toBe('zh')
    })

    function writtenFor(language: 'en' | 'zh'): string {
      const path = join(pages.folder(), `in-${language}.html`)
      writeFileSync(path, renderFuzz({ ...fuzzReport(), language }))
      return path
    }
  })

  it('shows hostile text as text, and runs none of it', async () => {
    const { page, said } = await open(renderEvaluation(hostileReport()))

    await page.locator('#grid td a').first().click()
    await page.locator('.conversation').waitFor()
    for (const details of await page.locator('details').all()) await details.evaluate('each => { each.open = true }')
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
    const { page, said } = await open({ html })

    for (const details of await page.locator('details').all()) await details.locator('summary').click()

    expect(await page.evaluate('window.attacked')).toBeUndefined()
    expect(await page.locator('img, iframe, script[src]').count()).toBe(0)
    expect(await page.locator('main').textContent()).toContain('<script>window.attacked = 1</script>')
    expect(said).toEqual([])
  })

  it.each([
    ['an evaluation', small.html],
    ['the matrix', renderConformance(conformanceReport())],
  ])('fits on a telephone: %s', async (_, html) => {
    const { page } = await open({ html }, '#episode=m/react/S02/0')

    await page.setViewportSize({ width: 380, height: 800 })

    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380)
    const axes = "Array.from(document.querySelectorAll('.axis'), (axis) => axis.clientWidth)"
    expect(Math.min(...(await page.evaluate<number[]>(axes)))).toBeGreaterThan(200)
    const scrolled =
      "[...document.querySelectorAll('main table')].filter((each) => each.checkVisibility() && each.scrollWidth > each.clientWidth).map((each) => each.textContent.slice(0, 60))"
    expect(await page.evaluate(scrolled)).toEqual([])
  })

  onlyLong(() => {
    it('leads from a cell of the matrix to its failing cases, with the keyboard alone', async () => {
      const { page, said } = await open({ html: renderConformance(conformanceReport()) })

      await page.locator('summary', { hasText: 'Topic by topic' }).focus()
      await page.keyboard.press('Enter')
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
  })

  onlyLong(() => {
    it('says on a telephone whose each number of the matrix is', async () => {
      const { page } = await open({ html: renderConformance(conformanceReport()) })
      await page.setViewportSize({ width: 390, height: 800 })
      const before = `getComputedStyle(document.querySelector('td[data-en^="engine"]'), '::before').content`
      const overflow = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('table.chips'))`

      expect(await page.evaluate(before)).toBe('"engine@1"')
      expect(await page.evaluate(overflow)).toBe(0)
    })
  })

  it('shows a hundred of many tasks, the others when asked, and all of them where no script runs', async () => {
    const report = smallReport()
    const [row] = report.summary.grid
    if (row === undefined) throw new Error('the grid is empty')
    const grid = Array.from({ length: 150 }, (_, at) => ({ ...row, task: at === 120 ? HOSTILE : `T${at}` }))
    const many = renderEvaluation({ ...report, summary: { ...report.summary, grid } })
    const { page, said } = await open(many)
    const rows = page.locator('#grid tbody tr')

    expect(await rows.count()).toBe(100)
    await page.locator('#grid button').focus()
    await page.keyboard.press('Enter')

    expect(await rows.count()).toBe(150)
    expect(await page.evaluate('document.activeElement.closest("tr").rowIndex')).toBe(1)
    expect(await page.evaluate('window.attacked')).toBeUndefined()
    expect(said).toEqual([])
    const plain = await pages.browser()?.newPage({ javaScriptEnabled: false })
    await plain?.goto(page.url())
    expect(await plain?.locator('#grid tbody tr:visible').count()).toBe(150)
    await plain?.close()
  })

  it('opens a case by its address, and equal answers are together, recorded ones marked', async () => {
    const { page } = await open({ html: renderConformance(conformanceReport()) })
    await page.goto(`${page.url()}#case=${encodeURIComponent('nous/parse/basic#one call')}`)

    expect(await page.locator('.compared h3').textContent()).toBe('nous/parse/basic#one call')
    expect(await page.locator('.answers > section').count()).toBe(2)
    expect(await page.locator('.answers small').first().textContent()).toContain('recorded')

    await page.locator('.episode-list a').first().click()

    expect(await page.locator('.compared h3').textContent()).toContain('<script>')
  })

  onlyLong(() => {
    it('finds cases by a text and by whether two differ', async () => {
      const { page } = await open({ html: renderConformance(conformanceReport()) })
      const listed = page.locator('.episode-list a')

      await page.locator('input[type="search"]').fill('CLOCK({})')
      expect(await listed.allTextContents()).toEqual([expect.stringContaining('one call')])
      await page.locator('input[type="search"]').fill('')
      await page.locator('input[data-filter="differing"]').check()

      expect(await listed.allTextContents()).toEqual([expect.stringContaining('<script>')])
    })
  })

  onlyLong(() => {
    it('copies a finding as a case, with any text in it', async () => {
      const { page, said } = await open({ html: renderFuzz(fuzzReport()) })

      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.locator('button[data-copy]').click()
      await page.locator('button[data-copy]', { hasText: /Copied/ }).waitFor()
      const text = await page.evaluate('navigator.clipboard.readText()')

      expect(JSON.parse(String(text))).toEqual(fuzzReport().violations[0]?.kept)
      expect(said).toEqual([])
    })
  })

  onlyLong(() => {
    it('has colours of its own for the dark', async () => {
      const { page } = await open({ html: renderConformance(conformanceReport()) })
      const ground = (): Promise<unknown> => page.evaluate('getComputedStyle(document.body).backgroundColor')
      const light = await ground()
      await page.emulateMedia({ colorScheme: 'dark' })

      expect(await ground()).not.toBe(light)
    })
  })
})
