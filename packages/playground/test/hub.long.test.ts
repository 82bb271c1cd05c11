import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { gguf } from '../../cli/test/helpers/gguf.ts'
import { huggingFace } from '../../cli/test/helpers/hugging-face.ts'
import { HAS_CHROMIUM, headings, playgroundPages } from './helpers/pages.ts'

const CHAT = '{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}'
const FILES = { 'chat_template.jinja': CHAT, 'config.json': '{"model_type": "qwen3"}' }
const TEKKEN = Buffer.from(`{"config": {"version": "v13"}, "vocab": ["${'x'.repeat(200_000)}"]}`)
// Its vocabulary is longer than what is requested at first.
const LONG = gguf([
  ['tokenizer.ggml.tokens', { type: 'texts', value: Array.from({ length: 100_000 }, (_, at) => `token ${at}`) }],
  ['tokenizer.chat_template', { type: 'text', value: CHAT }],
])
const [NOW, BEFORE] = ['a'.repeat(40), 'b'.repeat(40)]
const OPEN = {
  revisions: {
    main: { ...FILES, 'tekken.json': TEKKEN },
    [NOW]: FILES,
    [BEFORE]: { ...FILES, 'chat_template.jinja': `${CHAT} ` },
  },
}
const MODELS = {
  'acme/open': OPEN,
  'acme/gated': { ...OPEN, access: 'gated' },
  'acme/disabled': { ...OPEN, access: 'disabled' },
  'acme/gguf': { revisions: { main: { 'm.gguf': Buffer.concat([LONG, Buffer.alloc(9_000_000)]) } } },
} as const

const fetchButton = (page: Page): Locator => page.locator('.address:has(#model-address) button')

describe.skipIf(!HAS_CHROMIUM)(
  'the page and a site that answers as huggingface.co does, in Chromium (skipped without it; .ci/run installs it)',
  { timeout: 60_000 },
  () => {
    const pages = playgroundPages({ panel: 'model' })

    it('follows redirects to the same host and to another, which hear nothing of the visitor', async () => {
      const hub = await huggingFace({ models: MODELS })
      const { page, said } = await pages.served({ model: `${hub.url}/acme/open` })

      await fetchButton(page).click()
      await headings(page).nth(5).waitFor()

      expect(await page.locator('.model-source [role="status"]').first().innerText()).toBe(
        'read: chat_template.jinja, config.json, tekken.json',
      )
      expect(hub.askedOfFiles).toEqual([expect.stringMatching(/ bytes=0-65535$/)])
      for (const { authorization, cookie, referer } of [...hub.headers, ...hub.headersOfFiles])
        expect([authorization, cookie, referer]).toEqual([undefined, undefined, undefined])
      expect(hub.headersOfFiles[0]?.origin).toBe('null')
      // The browser reports files that are not there.
      expect(said.filter((text) => !text.includes('404'))).toEqual([])
    })

    it('reads the head of a GGUF of the other host, by several ranges', async () => {
      const hub = await huggingFace({ models: MODELS })
      const { page } = await pages.served({ model: `${hub.url}/acme/gguf?show_file_info=m.gguf` })

      await fetchButton(page).click()
      await headings(page).nth(5).waitFor()

      expect(hub.askedOfFiles.length).toBeGreaterThan(1)
      expect(hub.askedOfFiles.map((path) => path.split(' ').at(-1))[0]).toBe('bytes=0-1048575')
    })

    it('finds the previous revision', async () => {
      const hub = await huggingFace({ models: MODELS, renamed: { 'acme/old': 'acme/open' } })
      const { page } = await pages.served({ model: `${hub.url}/acme/old` })
      await fetchButton(page).click()
      await headings(page).nth(5).waitFor()

      await page.locator('summary', { hasText: 'Compare with another copy' }).click()
      await page.locator('.previous button').click()
      await headings(page).nth(6).waitFor()

      expect(await page.locator('.difference').innerText()).toContain(BEFORE)
    })

    it.each([
      [
        'acme/absent',
        false,
        'HTTP 401: there is no such model, or it asks for a login. The page sends no token: download the files and drop them here.',
      ],
      [
        'acme/gated',
        false,
        'HTTP 401: the model is gated: accept its terms on its page. The page sends no token: download the files and drop them here.',
      ],
      ['acme/disabled', false, 'HTTP 403: the site has disabled the model.'],
      ['acme/open/tree/nowhere', false, 'HTTP 404: the model has no such revision.'],
      // The site does not let pages read how long.
      ['acme/open', true, 'HTTP 429: too many requests. Try again in five minutes.'],
    ])('says in one line why it cannot read %s (limited: %s)', async (path, isLimited, message) => {
      const hub = await huggingFace({ models: MODELS, isLimited })
      const { page } = await pages.served({ model: `${hub.url}/${path}` })

      await fetchButton(page).click()
      const line = page.locator('.model-source .bad').first()
      await line.waitFor()

      const [owner, name, , revision = 'main'] = path.split('/')
      expect(await line.innerText()).toBe(`${hub.url}/${owner}/${name}/resolve/${revision}/: ${message}`)
    })
  },
)
