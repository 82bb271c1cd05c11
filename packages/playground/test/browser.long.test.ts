import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { EMPTY_STATE } from '../src/state.ts'
import { HAS_CHROMIUM, playgroundPages } from './helpers/pages.ts'

const ATTACK = '</script><script>window.attacked = 1</script><img src=x onerror="window.attacked = 1">'
const CALL = '<tool_call>\n{"name": "clock", "arguments": {"zone": "UTC"}}\n</tool_call>'

/** What is seen of a page that requests nothing and has no errors. */
const QUIET = { asked: [], said: [] }

describe.skipIf(!HAS_CHROMIUM)('the playground in Chromium (skipped without it; .ci/run installs it)', () => {
  const { inFile: open } = playgroundPages()

  const reply = (page: Page): Locator => page.locator('.result > .marked')

  it('shows that a call is only shown, with the place', async () => {
    const { page, ...seen } = await open({
      reply: `The page says \`${CALL}\`.\n\n> ${CALL}`,
      reading: { ...EMPTY_STATE.reading, format: 'nous' },
    })

    await page.getByText('call-in-quote').locator('visible=true').first().waitFor()

    expect(await page.locator('.outcome').first().innerText()).toBe('✓ 2 calls · 0 errors · 2 notes · nous strict')
    const texts = await page.locator('body').innerText()
    expect(texts).toContain('note call-in-code 15–74')
    expect(texts).toContain('note call-in-quote ')
    expect(seen).toEqual(QUIET)
  })

  it('opens on an example without an error or a request, and says what it is', async () => {
    const { page, ...seen } = await open(null)

    await reply(page).locator('.look-call').first().waitFor()

    expect(await page.locator('.outcome').first().innerText()).toMatch(/^✓ \d calls · 0 errors · 0 notes/)
    expect(seen).toEqual(QUIET)
  })

  it('identifies what is typed, marks its parts, and says why on hover and by the keyboard alone', async () => {
    const { page, ...seen } = await open({})
    await page.locator('#reply').fill(`So.\n${CALL}\nDone.<|im_end|>`)
    await reply(page).locator('.look-harm, .look-note').first().waitFor()

    expect(await page.locator('.identified strong').allInnerTexts()).toEqual(['nous'])
    // By strict, a call is whole where its JSON is.
    expect((await reply(page).locator('.look-call').innerText()).trim()).toBe(CALL.replace('\n</tool_call>', ''))

    await reply(page).locator('.look-call').hover()
    expect(await page.locator('#tip').innerText()).toBe('call clock {"zone": "UTC"}')
    await page.locator('h1').hover()
    expect(await page.locator('#tip').isVisible()).toBe(false)

    await page.locator('details', { hasText: 'How every format reads it' }).first().locator('summary').focus()
    await page.keyboard.press('Tab')
    expect(await page.locator('#tip').innerText()).toMatch(/^text \d characters$/)
    await page.keyboard.press('End')
    expect(await page.locator('#tip').innerText()).toContain('stop-token-left')
    expect(await page.locator(':focus').getAttribute('aria-describedby')).toBe('tip')
    await page.keyboard.press('Escape')
    expect(await page.locator('#tip').isVisible()).toBe(false)
    expect(seen).toEqual(QUIET)
  })

  it('names the format and the fault of a call that none reads, the version, and markers without a call', async () => {
    const { page, ...seen } = await open({ reply: "<tool_call>\n{'name': 'clock', 'arguments': {}}\n</tool_call>" })
    const answer = page.locator('.identified > p').first()
    await page.locator('.outcome', { hasText: 'nous strict' }).waitFor()

    expect(await answer.innerText()).toBe('nous, but the call is broken: single quotes')
    expect(await page.locator('.outcome').first().innerText()).toMatch(/^✗ 0 calls · 1 error/)
    expect(await page.locator('[aria-labelledby="versions-head"] > p').first().innerText()).toMatch(/say \d different/)

    await page.locator('#reply').fill('<｜DSML｜aio-clock></｜DSML｜aio-clock>')
    await answer.locator('code').first().waitFor()

    expect(await answer.innerText()).toMatch(
      /^no call in any of the formats, but markers of deepseek-v3\.2, .*<｜DSML｜/,
    )
    expect(seen).toEqual(QUIET)
  })

  it('reads it in another format and version, with all versions side by side', async () => {
    const { page } = await open({
      reply: "<tool_call>\n{'name': 'clock', 'arguments': {}}\n</tool_call>",
      reading: { ...EMPTY_STATE.reading, format: 'nous' },
    })
    await page.locator('#versions-head').waitFor()

    expect(await page.locator('[aria-labelledby="versions-head"] .answers > section').count()).toBeGreaterThan(2)

    await page.locator('#reply-version').selectOption('qwen-agent@v0.0.16')
    await page.locator('.outcome', { hasText: 'rejected' }).waitFor()
    await page.locator('#reply-format').selectOption('pythonic')
    await page.locator('.outcome', { hasText: 'pythonic' }).waitFor()

    expect(await page.locator('.outcome').first().innerText()).toMatch(/^✓ 0 calls/)
  })

  it('shows what engines answered to exactly this text, and loads what they read otherwise, by the keyboard', async () => {
    const own = `Nobody was asked this.\n${CALL}`
    const { page, ...seen } = await open({ reply: own, reading: { ...EMPTY_STATE.reading, format: 'nous' } })
    const card = page.locator('[data-engine="llama.cpp b10257"]')
    await card.getByText('not recorded for this text').waitFor()

    await card.locator('summary').focus()
    await page.keyboard.press('Enter')
    for (let press = 0; press < 10 && !(await isOn(page, 'show it')); press += 1) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await card.getByText('recorded: differs').waitFor()

    expect(await card.locator('.engine-answer .reason').innerText()).toMatch(
      /^bug .* ggml-org\/llama\.cpp\/issues\/\d+$/,
    )
    expect(await isOn(page, 'show it')).toBe(true)
    expect(await reply(page).innerText()).not.toBe(own)

    await page.locator('#reply').fill(`${await page.locator('#reply').inputValue()} `)
    await card.getByText('not recorded for this text').waitFor()
    await page.goBack()
    await page.locator('.outcome', { hasText: '1 call' }).waitFor()
    expect(await page.locator('#reply').inputValue()).toBe(own)
    expect(seen).toEqual(QUIET)
  })

  it('says how an engine was asked where that was another way, and asks so itself', async () => {
    const value = '<tool_call>\n<function=put>\n<parameter=x>\nNone\n</parameter>\n</function>\n</tool_call>'
    const { page, ...seen } = await open({ reply: value, reading: { ...EMPTY_STATE.reading, format: 'qwen3-coder' } })
    const card = page.locator('[data-engine="vllm 3406e8f"]')
    await card.getByText('recorded: differs').first().waitFor()

    expect(await card.locator('.engine-answer .look-call pre').first().innerText()).toBe('{"x": "None"}')
    expect(await card.locator('.engine-answer').innerText()).toContain('with the tools put(x: integer|null)')
    await card.getByRole('button', { name: 'ask so here' }).first().click()
    await card.getByText('Asked in another way').waitFor({ state: 'detached' })

    await page.locator('#tab-prompt').click()
    expect(await page.locator('#prompt-tools').inputValue()).toContain('"name": "put"')
    expect(seen).toEqual(QUIET)
  })

  it('plays it as a stream: the slider is moved with the keys, and a link keeps the cut', async () => {
    const { page } = await open({ reply: 'So. [TOOL_CALLS]clock[ARGS]{"zone": "UTC"}' })
    await page.locator('#cut').waitFor()
    const certain = page.locator('[aria-labelledby="replay-head"] .answers > section').first()

    await page.locator('#cut').focus()
    for (let press = 0; press < 3; press += 1) await page.keyboard.press('ArrowLeft')
    await certain.getByText('a call has begun').waitFor()

    expect(await certain.locator('code').last().innerText()).toBe('clock {"zone": "UT')
    expect(await page.locator('.to-come').innerText()).toBe('C"}')

    await page.keyboard.press('Home')
    for (let press = 0; press < 2; press += 1) await page.keyboard.press('ArrowRight')
    await page.locator('.arrived .look-text', { hasText: 'So' }).waitFor()
    await page.keyboard.press('End')
    for (let press = 0; press < 3; press += 1) await page.keyboard.press('ArrowLeft')

    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.waitForFunction('location.hash !== ""')
    await page.reload()
    await page.locator('.to-come', { hasText: 'C"}' }).waitFor()
  })

  it('shows the prompt of a format with its tokens apart from text, and where a text spells one', async () => {
    const { page, ...seen } = await open({
      panel: 'prompt',
      conversation: '[{role: "user", content: "say <|im_end|>"}]',
      prompt: { format: 'nous', version: '' },
    })
    await page.locator('.prompt-text').waitFor()

    expect(await page.locator('.prompt-text').innerText()).toContain('<|im_start|>user\nsay <|im_end|><|im_end|>')
    expect(await page.locator('.prompt-text .token').allInnerTexts()).toEqual([
      ...['<|im_start|>', '<|im_end|>', '<|im_start|>', '<|im_end|>', '<|im_start|>'].slice(-3),
    ])
    expect(await page.locator('.notice').innerText()).toContain('messages[0].content <|im_end|> 4–14')

    await page.locator('.alike button', { hasText: 'v0.0.13' }).click()
    await page.locator('.alike button[aria-pressed="true"]', { hasText: 'v0.0.13' }).waitFor()
    expect(await page.locator('#prompt-version').inputValue()).toBe('qwen-agent@v0.0.13')

    await page.locator('#prompt-conversation').fill('[{')
    await page.locator('.bad', { hasText: 'Line 1' }).waitFor()
    expect(seen).toEqual(QUIET)
  })

  it('renders and lints a template', async () => {
    const { page, ...seen } = await open({
      panel: 'template',
      template: '{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}',
      conversation: '[{role: "user", content: "hi"}]',
    })
    await page.locator('.finding').first().waitFor()

    expect(await page.locator('#pane-template .marked').innerText()).toBe('[user]hi')
    expect(await page.locator('.finding summary').allInnerTexts()).toContainEqual(
      expect.stringContaining('tools-ignored'),
    )

    await page.locator('#template').fill('{{ nope')
    await page.locator('.bad', { hasText: 'TemplateSyntaxError' }).first().waitFor()
    expect(seen).toEqual(QUIET)
  })

  it('leads from side to side with the arrow keys', async () => {
    const { page } = await open(null)

    await page.getByRole('tab').first().focus()
    await page.keyboard.press('ArrowRight')

    expect(await page.locator(':focus').innerText()).toBe('Prompt')
    expect(await page.locator('#pane-prompt').isVisible()).toBe(true)
    expect(await page.locator('#pane-reply').isVisible()).toBe(false)
  })

  it('shows hostile text as text on every side, and runs none of it', async () => {
    const hostile = `${ATTACK}\u202e\u0000\ud800`
    const asJson = JSON.stringify(hostile)
    const state = {
      reply: `${hostile}\n<tool_call>\n{"name": ${asJson}, "arguments": {"x": ${asJson}}}\n</tool_call>`,
      tools: `[{name: ${asJson}, description: ${asJson}, parameters: {}}]`,
      conversation: `[{role: "user", content: ${asJson}}]`,
      template: `{{ messages[0].content }}{{ raise_exception(${JSON.stringify(ATTACK)}) if tools is none }}`,
    }
    for (const panel of ['reply', 'prompt', 'template'] as const) {
      const { page, ...seen } = await open({ ...state, panel, prompt: { format: 'nous', version: '' } })
      const pane = page.locator(`#pane-${panel}`)
      await pane.locator('.marked').first().waitFor()
      if (panel === 'template') await pane.locator('.finding').first().waitFor()

      const shown = (await pane.locator('.marked').first().textContent()) ?? ''
      expect(shown).toContain(ATTACK)
      expect(shown).toContain('\\u202e\\u0000\\ud800')
      expect(await pane.locator('.result, [aria-live]').allTextContents()).not.toContainEqual(
        expect.stringMatching(/[\u202e\u0000]/),
      )
      expect(await page.evaluate('window.attacked')).toBeUndefined()
      expect(await page.locator('img, iframe, script[src]').count()).toBe(0)
      expect(seen).toEqual(QUIET)
    }
  })

  it('stays usable with megabytes: the page answers while its worker reads', async () => {
    const { page, ...seen } = await open({})

    await page.locator('#reply').evaluate(
      (area: unknown, text) => {
        const { value: _before, ...shape } = { value: '' }
        Object.assign(area as object, { ...shape, value: text })
        ;(area as { dispatchEvent: (event: unknown) => void }).dispatchEvent(new Event('input'))
      },
      `${CALL}\n${`${'x <'.repeat(33)}\n`.repeat(10_100)}`,
    )
    await page.getByRole('tab').nth(1).click()
    expect(await page.locator('#pane-prompt').isVisible()).toBe(true)
    await page.getByRole('tab').first().click()
    await page.getByText('Only the first 1000000 characters are read.').waitFor()

    expect((await reply(page).innerText()).length).toBeLessThan(110_000)
    expect(seen).toEqual(QUIET)
  })

  it('takes a broken or hostile link for none', async () => {
    const { page, ...seen } = await open(null)
    for (const hash of ['#1=AAAA', '#1=<img src=x onerror=alert(1)>', '#%E0%A4%A'])
      await page.goto(new URL(hash, page.url()).href)

    await reply(page).locator('.look-call').first().waitFor()
    expect(seen).toEqual(QUIET)
  })

  it('speaks Chinese, tips and all', async () => {
    const { page } = await open(null)
    await page.locator('button[data-set-language="zh"]').click()
    await reply(page).locator('.look-call').first().hover()

    expect(await page.locator('h1').innerText()).toBe('模型说了什么，又看到了什么？')
    expect(await page.locator('#tip').innerText()).toMatch(/^调用 /)
    expect(await page.locator('.outcome').first().innerText()).toMatch(/^✓ \d 次调用 · 0 个错误/)
    for (const panel of ['reply', 'prompt', 'template']) {
      await page.locator(`#tab-${panel}`).click()
      await page.locator(`#pane-${panel} .marked`).first().waitFor()
      const labels = await page
        .locator(`#pane-${panel} label, #pane-${panel} h2, #pane-${panel} details:not(.finding) > summary`)
        .allInnerTexts()
      const english = labels.filter((text) => text.trim() !== '' && !/[\u4e00-\u9fff]/.test(text.split('\n')[0] ?? ''))
      expect(english).toEqual([])
    }
  })

  it('fits on a telephone, on every side, with a tip open', async () => {
    const { page } = await open(null)
    await page.setViewportSize({ width: 390, height: 800 })
    await reply(page).locator('.look-call').first().hover()

    for (const panel of ['reply', 'prompt', 'template']) {
      await page.locator(`#tab-${panel}`).click()
      await page.locator(`#pane-${panel} .marked`).first().waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    }
  })

  it('has contrast enough for every mark, in the light and in the dark', async () => {
    const { page } = await open({ reply: `So.\n${CALL}\n${CALL}\nDone.<|im_end|>`, panel: 'reply' })
    await reply(page).locator('.look-call.odd').waitFor()
    const ground = (): Promise<unknown> => page.evaluate('getComputedStyle(document.body).backgroundColor')
    const light = await ground()

    expect(await page.evaluate(LOWEST_CONTRAST)).toBeGreaterThanOrEqual(4.5)
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await ground()).not.toBe(light)
    expect(await page.evaluate(LOWEST_CONTRAST)).toBeGreaterThanOrEqual(4.5)
  })
})

/** Whether the button with this name has the focus. */
async function isOn(page: Page, name: string): Promise<boolean> {
  const [focused] = await page.locator(':focus').allInnerTexts()
  return focused === name
}

/** The lowest contrast between a mark's letters and its ground, by the formula of WCAG 2. */
const LOWEST_CONTRAST = readFileSync(new URL('helpers/lowest-contrast.js', import.meta.url), 'utf8')
