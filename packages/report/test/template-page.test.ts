import { lintTemplate, RULES } from '@callspec/template/lint'
import { describe, expect, it } from 'vitest'
import { withCode } from '../src/html.ts'
import { renderTemplateLint } from '../src/template/page.ts'
import { ruleInChinese } from '../src/template/rules-in-chinese.ts'
import { HAS_CHROMIUM, openPages } from './helpers/open-pages.ts'

const BARE = lintTemplate({ source: "{% for m in messages %}{{ m['content'] }}{% endfor %}" })
const errors = BARE.findings.filter(({ severity }) => severity === 'error').length
const warnings = BARE.findings.filter(({ severity }) => severity === 'warning').length

const textOf = (page: string): string =>
  page
    .replace(/[^]*<main>/, '')
    .replace(/<\/main>[^]*/, '')
    .replaceAll(/<span lang="zh">[^<]*<\/span>/g, '')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/\s+/g, ' ')

describe('the page of the lint', () => {
  it('counts what is found by severity, of all templates and of each', () => {
    const clean = { ...BARE, findings: [] }
    const rows = [BARE, BARE, clean].map((report, at) => ({ name: `${at}.jinja`, sha256: null, report }))

    const text = textOf(renderTemplateLint({ templates: rows }))

    expect(text).toContain(`3 templates: ✗ ${2 * errors} errors ! ${2 * warnings} warnings`)
    expect(text).toContain(`0.jinja ✗ ${errors} errors ! ${warnings} warnings`)
    expect(text).toContain('2.jinja ✓ nothing found')
  })

  it('opens the first template alone, and no finding', () => {
    const rows = ['a', 'b'].map((name) => ({ name, sha256: null, report: BARE }))

    const page = renderTemplateLint({ templates: rows })

    expect(page.match(/<details class="folded"[^>]*>/g)).toEqual([
      '<details class="folded" open>',
      '<details class="folded" >',
    ])
    expect(page.match(/<details class="folded finding">/g)).toHaveLength(2 * BARE.findings.length)
  })

  it('shows the code of a remedy as code', () => {
    const { findings } = lintTemplate({ source: '{% for m in messages %}{{ m.content ~ m.tool_calls }}{% endfor %}' })
    const remedies = findings.filter(({ remedy }) => remedy.includes('`'))

    const page = renderTemplateLint({ templates: [{ name: 'a', sha256: null, report: { ...BARE, findings } }] })

    expect(remedies.length).toBeGreaterThan(0)
    expect(page.match(/[^>]*<code>[^]*?<\/code>/g)?.join()).toContain('<code>| tojson</code>')
    expect(textOf(page.replaceAll(/<pre[^]*?<\/pre>/g, ''))).not.toContain('`')
  })
})

describe('a rule in Chinese', () => {
  it.each(RULES.map(({ id, about, remedy }) => [id, about, remedy] as const))('%s', (id, about, remedy) => {
    const chinese = ruleInChinese(id)
    const codeIn = (text = ''): readonly string[] => (text.match(/`[^`]+`/g) ?? []).toSorted()

    expect(chinese?.about).toMatch(/\p{Script=Han}.*。$/u)
    expect(chinese?.remedy).toMatch(/\p{Script=Han}.*。$/u)
    expect(codeIn(chinese?.about)).toEqual(codeIn(about))
    expect(codeIn(chinese?.remedy)).toEqual(codeIn(remedy))
  })

  it('is not invented', () => expect(ruleInChinese('toString')).toBeNull())
})

describe('a sentence with code', () => {
  it.each([
    ['Write `<a>`, `b`.', 'Write <code>&lt;a&gt;</code>, <code>b</code>.'],
    ['no code', 'no code'],
    ['one ` alone', 'one ` alone'],
    ['`a` and ` alone', '<code>a</code> and ` alone'],
  ])('%s', (sentence, markup) => {
    expect(withCode(sentence).markup).toBe(markup)
  })
})

describe.skipIf(!HAS_CHROMIUM)('the page of the lint in Chromium (skipped without it; .ci/run installs it)', () => {
  const { open } = openPages()

  it('names templates and rules within 390 pixels, below the folder that all templates are in', async () => {
    const report = lintTemplate({ source: "{% for m in messages %}{{ m['content'] }}{% endfor %}" })
    const templates = ['a', '很长的模板名称'.repeat(9)].map((name) => ({
      name: `/models/all/${name}.jinja`,
      sha256: null,
      report,
    }))
    const { page, said } = await open({ html: renderTemplateLint({ templates }) })
    await page.setViewportSize({ width: 390, height: 800 })

    expect(await page.locator('.lists tbody th').first().innerText()).toBe('a.jinja')
    expect(await page.locator('.lists .chip').first().innerText()).toMatch(/^✗ [a-z-]+$/)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    expect(
      await page.evaluate(
        `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.lists'))`,
      ),
    ).toBe(0)
    expect(said).toEqual([])
  })

  it('folds findings of templates; a link opens its finding, and paper shows all of them', async () => {
    const report = lintTemplate({ source: "{% for m in messages %}{{ m['content'] }}{% endfor %}" })
    const templates = ['a', 'b'].map((name) => ({ name, sha256: null, report }))
    const { page, said } = await open({ html: renderTemplateLint({ templates }) })
    const [first, second] = ['#t0-tools-ignored', '#t1-tools-ignored'].map((id) => page.locator(id))
    const areShown = (): Promise<unknown> => Promise.all([first?.isVisible(), second?.isVisible()])

    expect(await page.locator('.finding summary:visible').count()).toBe(report.findings.length)
    expect(await areShown()).toEqual([false, false])
    await page.locator('.chip[href="#t1-tools-ignored"]').first().click()
    expect(await areShown()).toEqual([false, true])
    const summary = page.locator('.finding[open] > summary')
    expect((await summary.boundingBox())?.y).toBeGreaterThanOrEqual(0)

    await page.emulateMedia({ media: 'print' })
    expect(await areShown()).toEqual([true, true])
    expect(said).toEqual([])
  })
})
