import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { gguf } from '../../cli/test/helpers/gguf.ts'
import { modelHub } from '../../cli/test/helpers/model-hub.ts'
import { HAS_CHROMIUM, headings, playgroundPages } from './helpers/pages.ts'

const CHAT =
  '{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}{% for c in m.tool_calls or [] %}<tool_call>\n{{ c.function | tojson }}\n</tool_call>{% endfor %}<|im_end|>\n' +
  '{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}'
const RESPONSE = {
  start_anchor: '<|im_start|>assistant\n',
  fields: {
    tool_calls: {
      ...{ open: '<tool_call>\n', close: '\n</tool_call>', repeats: true, content: 'json' },
      transform: { type: 'function', function: '{content}' },
    },
    content: { close_pattern: '<\\|im_end\\|>\\s*|$', repeats: true, join: '' },
  },
}
const FILES = {
  'chat_template.jinja': CHAT,
  'tokenizer_config.json': JSON.stringify({ eos_token: '<|im_end|>', response_template: RESPONSE }),
  'config.json': '{"model_type": "qwen2"}',
}
const ROOT = '/acme/toy/resolve/main/'
const ON_HUB = {
  ...Object.fromEntries(Object.entries(FILES).map(([name, text]) => [ROOT + name, text])),
  '/acme/toy/resolve/v1/chat_template.jinja': CHAT.replace('m.content', 'm.content | trim'),
}
const GGUF = Buffer.concat([
  gguf([['tokenizer.chat_template', { type: 'text', value: CHAT }]]),
  Buffer.alloc(3_000_000),
])
const ATTACK = '</script><img src=x onerror="window.attacked = 1">'

const picked = (
  files: Readonly<Record<string, string | Buffer>>,
): { name: string; mimeType: string; buffer: Buffer }[] =>
  Object.entries(files).map(([name, text]) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) }))

describe.skipIf(!HAS_CHROMIUM)('the side of models in Chromium (skipped without it; .ci/run installs it)', () => {
  const { inFile, served } = playgroundPages({ panel: 'model' })
  const fetchButton = (page: Page, which: 'model' | 'against'): Locator =>
    page.locator(`.address:has(#${which}-address) button`)

  it('shows from files what inspect prints, in a page that can connect to nothing', async () => {
    const { page, asked, said } = await inFile({ conversation: '[{role: "user", content: "Mine."}]' })

    await page.locator('#model-files').setInputFiles(picked(FILES))
    await headings(page).nth(5).waitFor()

    expect(await headings(page).allInnerTexts()).toEqual([
      ...['Format', 'Prompt', 'Lint', 'Forged text', 'Response template', 'Engines'],
    ])
    expect(await page.locator('.fact').allInnerTexts()).toEqual([
      'nous',
      expect.stringMatching(/^lint: \d+ errors, \d+ warnings$/),
      'forged: 6 of 6',
      expect.stringMatching(/^round trip: \d\d of 41$/),
      'response template: 1 finding',
    ])
    await page.locator('#pane-model .marked', { hasText: 'Mine.' }).waitFor()
    expect(await page.locator('#pane-model .marked').innerText()).toBe(
      '<|im_start|>user\nMine.<|im_end|>\n<|im_start|>assistant\n',
    )
    expect(await page.locator('[data-engine="vLLM"]').innerText()).toContain('--tool-call-parser hermes')
    expect(await page.locator('#model-address').count()).toBe(0)
    expect(await page.locator('#pane-model').innerText()).toContain('This page is a file and connects to nothing.')
    expect([asked, said]).toEqual([[], []])

    const refused = await page.evaluate('fetch("http://127.0.0.1:1/").catch((error) => error.message)')
    expect([refused, said.join()]).toEqual(['Failed to fetch', expect.stringContaining("default-src 'none'")])
  })

  it('says what is wrong with the response template, each with a reply that shows it', async () => {
    const { page } = await inFile()
    await page.locator('#model-files').setInputFiles(picked(FILES))
    await headings(page).nth(5).waitFor()

    const found = page.locator('#pane-model .response-finding')
    const rules = await found.locator('summary').allInnerTexts()
    await found.first().locator('summary').click()

    expect(rules).toEqual([expect.stringMatching(/^✗ stream-dollar \$ also matches/)])
    expect(await found.first().locator('pre').allInnerTexts()).toEqual([
      ...['one\n', 'two<|im_end|>'],
      '{"message": {"content": "onetwo"}}',
      '{"message": {"content": "one\\ntwo"}}',
    ])
  })

  it('renders the conversation that is typed, with the special tokens of the model', async () => {
    const { page } = await inFile()
    const template = '{{ bos_token }}{{ messages[0].content }}{{ eos_token }}'

    await page.locator('#model-files').setInputFiles(
      picked({
        'tokenizer_config.json': JSON.stringify({ chat_template: template, bos_token: '[B]', eos_token: '[E]' }),
      }),
    )
    await page.locator('summary', { hasText: 'Tools and conversation' }).locator('visible=true').click()
    await page.locator('#model-conversation').fill('[{role: "user", content: "typed"}]')

    await page.locator('#pane-model .marked', { hasText: '[B]typed[E]' }).waitFor()
  })

  it('connects only when the button is pressed, to the addresses that it shows, and says nothing of itself', async () => {
    const hub = await modelHub(ON_HUB)
    const { page, asked } = await served({ model: `${hub.url}/acme/toy` })
    const shown = page.locator('#pane-model .addresses').first()
    await shown.locator('li').nth(4).waitFor()

    const addresses = await shown.locator('li').allInnerTexts()
    expect(addresses[0]).toBe(`${hub.url}${ROOT}chat_template.jinja`)
    await page.waitForTimeout(300)
    expect([asked, hub.asked]).toEqual([[], []])
    await fetchButton(page, 'model').click()
    await headings(page).nth(5).waitFor()

    expect(asked.toSorted()).toEqual(addresses.toSorted())
    expect(await page.locator('.fact').first().innerText()).toBe('nous')
    for (const { referer, cookie, authorization } of hub.headers)
      expect([referer, cookie, authorization]).toEqual([undefined, undefined, undefined])
  })

  it('compares with a revision, and its link has both addresses', async () => {
    const hub = await modelHub(ON_HUB)
    const { page } = await served({
      model: `${hub.url}/acme/toy`,
      against: `${hub.url}/acme/toy/tree/v1`,
    })
    await fetchButton(page, 'model').click()
    await headings(page).nth(5).waitFor()

    await page.locator('summary', { hasText: 'Compare with another copy' }).click()
    await fetchButton(page, 'against').click()
    await headings(page).nth(6).waitFor()

    expect(await page.locator('.difference .outcome').innerText()).toMatch(
      /^another text of the chat template; prompts differ in \d+ of 52/,
    )
    expect(await page.locator('.difference details').count()).toBeGreaterThan(0)
  })

  it('finds the previous revision after a press of its button, and shows before what that requests', async () => {
    const [now, before] = ['a'.repeat(40), 'b'.repeat(40)]
    const older = `/acme/toy/resolve/${before}/chat_template.jinja`
    const list = JSON.stringify([{ id: now }, { id: before }])
    const hub = await modelHub({ ...ON_HUB, '/api/models/acme/toy/commits/main': list, [older]: `${CHAT}!` })
    const { page } = await served({ model: `${hub.url}/acme/toy` })
    await fetchButton(page, 'model').click()
    await headings(page).nth(5).waitFor()
    await page.locator('summary', { hasText: 'Compare with another copy' }).click()
    const asked = hub.asked.length

    expect(await page.locator('.previous ~ .addresses').innerText()).toBe(
      `${hub.url}/api/models/acme/toy/commits/main\n${hub.url}/acme/toy/resolve/COMMIT/…`,
    )
    await page.locator('.previous button').click()
    await headings(page).nth(6).waitFor()

    expect(await page.locator('.difference').innerText()).toContain(before)
    expect(hub.asked[asked]).toBe('/api/models/acme/toy/commits/main')
    expect(hub.asked.slice(asked + 1).every((path) => path.startsWith(`/acme/toy/resolve/${before}/`))).toBe(true)
  })

  it('reads the head of a GGUF, of a file and of an address', async () => {
    const hub = await modelHub({ '/m/toy.gguf': GGUF })
    const { page } = await served({ model: `${hub.url}/m/toy.gguf` })

    await fetchButton(page, 'model').click()
    await headings(page).nth(5).waitFor()
    expect(hub.asked).toEqual(['/m/toy.gguf bytes=0-1048575'])
    await page.locator('#model-files').setInputFiles(picked({ 'other.gguf': GGUF }))
    await page.locator('#pane-model p', { hasText: /^files:.*other\.gguf$/ }).waitFor()

    expect(await page.locator('.fact').first().innerText()).toBe('nous')
  })

  it('writes the prompt of a model without a chat template as its format does', async () => {
    const { page } = await inFile({ conversation: '[{role: "user", content: "typed"}]' })

    await page
      .locator('#model-files')
      .setInputFiles(picked({ 'tekken.json': '{"config": {"version": "v13"}, "vocab": []}' }))
    await page.locator('#pane-model .prompt-text', { hasText: '[INST]typed[/INST]' }).waitFor()

    expect(await headings(page).allInnerTexts()).toEqual([
      'Format',
      'Prompt',
      'Template',
      'Response template',
      'Engines',
    ])
  })

  it('takes dropped files', async () => {
    const { page } = await inFile()
    const transfer = await page.evaluateHandle((text) => {
      const made = new (
        globalThis as unknown as { DataTransfer: new () => { items: { add: (file: unknown) => void } } }
      ).DataTransfer()
      made.items.add(new File([text], 'chat_template.jinja'))
      return made
    }, CHAT)

    await page.locator('.drop').first().dispatchEvent('drop', { dataTransfer: transfer })
    await headings(page).nth(5).waitFor()

    expect(await page.locator('.fact').first().innerText()).toBe('nous')
  })

  it.each([
    ['nothing there', '/nobody/toy', 'has none of chat_template.jinja'],
    ['a site that lets no page read', '/closed/toy', 'does not let other pages read its files (CORS)'],
    ['a page in place of files', '/page/toy', 'the answer is a page, not a file'],
  ])('says in one line what is wrong: %s', async (_, path, message) => {
    const hub = await modelHub(ON_HUB, {
      answer: ({ url = '' }, response) => {
        if (url.startsWith('/closed')) response.removeHeader('access-control-allow-origin')
        if (url.startsWith('/page')) response.writeHead(200).end('<!doctype html>')
        return url.startsWith('/page')
      },
    })
    const { page } = await served({ model: hub.url + path })

    await fetchButton(page, 'model').click()

    const line = page.locator('.model-source .bad').first()
    await line.waitFor()
    expect(await line.innerText()).toContain(message)
    expect(await headings(page).count()).toBe(0)
  })

  it('shows hostile files as text, and runs none of it', async () => {
    const { page, said } = await inFile()
    const config = {
      chat_template: `${ATTACK}{{ raise_exception(${JSON.stringify(`${ATTACK}\u202e`)}) }}`,
      bos_token: ATTACK,
      model_type: ATTACK,
    }

    await page.locator('#model-files').setInputFiles(
      picked({
        'tokenizer_config.json': JSON.stringify(config),
        'config.json': JSON.stringify({ _name_or_path: `qwen3 ${ATTACK}` }),
      }),
    )
    await headings(page).nth(5).waitFor()
    await page.locator('#pane-model .bad', { hasText: 'onerror' }).first().waitFor()
    await page.locator('#model-files').setInputFiles(picked({ [`${ATTACK}.json`.replaceAll('/', '_')]: '{' }))
    await page.locator('.model-source .bad', { hasText: 'is not JSON' }).waitFor()

    expect(await page.evaluate('window.attacked')).toBeUndefined()
    expect(await page.locator('img').count()).toBe(0)
    expect(await page.locator('#pane-model').innerText()).not.toMatch(/\u202e/)
    expect(said).toEqual([])
  })

  it('fits on a telephone, and speaks Chinese', async () => {
    const hub = await modelHub(ON_HUB)
    const { page } = await served({ model: `${hub.url}/acme/toy` })
    await page.setViewportSize({ width: 390, height: 800 })
    await page.locator('button[data-set-language="zh"]').click()

    await fetchButton(page, 'model').click()
    await headings(page).nth(5).waitFor()

    expect(await headings(page).allInnerTexts()).toEqual(['格式', '提示词', '检查', '伪造文本', '响应模板', '引擎'])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    const labels = await page
      .locator('#pane-model label, #pane-model .field-head > span, #pane-model .fact')
      .allInnerTexts()
    expect(labels.filter((text) => !/[\u4e00-\u9fff]/.test(text) && text !== 'nous' && text !== '')).toEqual([])
  })
})
