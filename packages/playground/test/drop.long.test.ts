import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { gguf } from '../../cli/test/helpers/gguf.ts'
import { HAS_CHROMIUM, headings, playgroundPages } from './helpers/pages.ts'

const CHAT = '{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}'
const GGUF = gguf([['tokenizer.chat_template', { type: 'text', value: CHAT }]])
/** The files of a model, and others around them. */
const MODEL = {
  'chat_template.jinja': CHAT,
  'config.json': '{"model_type": "qwen3"}',
  'additional_chat_templates/rag.jinja': CHAT,
  'additional_chat_templates/readme.md': '',
  'onnx/config.json': '{"model_type": "llama"}',
  'onnx/tokenizer_config.json': '{"chat_template": "not this one"}',
}

/** A folder on the disk, gone after the test. */
function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'callspec-drop-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

const below = <Text>(path: string, files: Readonly<Record<string, Text>>): Record<string, Text> =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [path + name, text]))

/** Drops paths of this machine, as a hand does. */
async function drop(page: Page, place: Locator, paths: readonly string[]): Promise<void> {
  const box = await place.boundingBox()
  if (box === null) throw new Error('it cannot be seen')
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: [...paths], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: box.x + 30, y: box.y + 15, data })
}

const zone = (page: Page): Locator => page.locator('.drop').first()
const status = (page: Page): Locator => page.locator('.model-source [role="status"]').first()

const FILES_OF_MODEL = ['additional_chat_templates/rag.jinja', 'chat_template.jinja', 'config.json']

/** The files that the page says it has read, sorted. */
async function filesRead(page: Page): Promise<readonly string[]> {
  const said = await status(page).innerText()
  return said
    .replace(/^read: /, '')
    .split(', ')
    .toSorted()
}

describe.skipIf(!HAS_CHROMIUM)(
  'dropping in Chromium (skipped without it; .ci/run installs it)',
  { timeout: 60_000 },
  () => {
    const pages = playgroundPages({ panel: 'model' })

    describe.each(['inFile', 'served'] as const)('onto the page %s', (where) => {
      it('reads the files at the top of a folder, and no other, however large', async () => {
        const folder = folderWith(below('toy/', MODEL))
        writeFileSync(join(folder, 'toy/model.safetensors'), '')
        truncateSync(join(folder, 'toy/model.safetensors'), 5 * 2 ** 30)
        const { page, said } = await pages[where]()

        await drop(page, zone(page), [join(folder, 'toy')])
        await headings(page).nth(5).waitFor()

        expect(await filesRead(page)).toEqual(FILES_OF_MODEL)
        expect(await page.locator('#pane-model').innerText()).toContain('"model_type" of its config.json is "qwen3"')
        expect(said).toEqual([])
      })

      it('finds a model in a copy of the cache of Hugging Face, and its name', async () => {
        const folder = folderWith({ 'models--zai-org--GLM-4.6/snapshots/abc/config.json': '{}' })
        const { page } = await pages[where]()

        await drop(page, zone(page), [join(folder, 'models--zai-org--GLM-4.6')])

        await page.locator('.fact', { hasText: 'glm-4.5' }).waitFor()
      })

      it.each([
        ['models--zai-org--GLM-4.6', 'models--zai-org--GLM-4.6: has none of chat_template.jinja'],
        ['models--zai-org--GLM-4.6/snapshots/abc', 'nothing was read: no file was given.'],
      ])('says that it follows no links in %s, and takes the link itself', async (name, message) => {
        const folder = folderWith({ 'models--zai-org--GLM-4.6/blobs/1': '{"model_type": "glm4_moe"}' })
        const snapshot = join(folder, 'models--zai-org--GLM-4.6/snapshots/abc')
        mkdirSync(snapshot, { recursive: true })
        symlinkSync('../../blobs/1', join(snapshot, 'config.json'))
        const { page } = await pages[where]()

        await drop(page, zone(page), [join(folder, name)])
        await page.locator('.model-source .bad').first().waitFor()

        expect(await status(page).innerText()).toMatch(new RegExp(`^${message}`))
        expect(await status(page).innerText()).toMatch(/follows no links, .*: give the files themselves\.$/)
        await drop(page, zone(page), [join(snapshot, 'config.json')])
        await page.locator('.fact', { hasText: 'no chat template' }).waitFor()
      })

      it.each([
        [
          'a folder without a model',
          { 'a/readme.md': '', 'a/b/c.txt': '' },
          ['a'],
          /^a: has none of chat_template\.jinja, .*, and no GGUF\. Give a model's folder, or one of them\.$/,
        ],
        ['an empty folder', { 'a/b/readme.md': '' }, ['a/b/readme.md', 'a'], /^readme\.md, a: has none of /],
        [
          'two models',
          { ...below('a/x/', MODEL), ...below('a/y/', MODEL) },
          ['a'],
          /^a: has several models: a\/(?:x, a\/y|y, a\/x)\. Give one of them\.$/,
        ],
        [
          'a large file',
          { 'model.safetensors': new Uint8Array(33 * 2 ** 20) },
          ['model.safetensors'],
          /^model\.safetensors: more than 32 MB\. Is it the right file\?$/,
        ],
        ['a broken GGUF', { 'a.gguf': GGUF.subarray(0, 40) }, ['a.gguf'], /^a\.gguf: is cut or damaged/],
        [
          'too many files',
          below('a/', Object.fromEntries(Array.from({ length: 10_050 }, (_, at) => [`${at}.txt`, '']))),
          ['a'],
          /^a: more than 10000 files, and none of a model before them\. Give the folder of the model\.$/,
        ],
      ])('says in one line what is wrong with %s', async (_, files, names, message) => {
        const folder = folderWith(files)
        const { page, said } = await pages[where]()

        await drop(
          page,
          zone(page),
          names.map((name) => join(folder, name)),
        )
        await page.locator('.model-source .bad').first().waitFor()

        expect(await status(page).innerText()).toMatch(message)
        expect([await headings(page).count(), said]).toEqual([0, []])
      })

      it('shows a folder that has only a configuration, and says that it has no chat template', async () => {
        const folder = folderWith({ 'toy/config.json': '{"model_type": "gpt_oss"}' })
        const { page } = await pages[where]()

        await drop(page, zone(page), [join(folder, 'toy')])
        await page.locator('.fact', { hasText: 'no chat template' }).waitFor()

        expect(await page.locator('#pane-model .bad').allInnerTexts()).toContainEqual(
          expect.stringMatching(/^No chat_template\.jinja, and no chat_template in /),
        )
      })

      it('reads the head of a GGUF in a folder without a template, and beside it the configuration', async () => {
        const folder = folderWith({
          ...below('toy/', { 'mmproj.gguf': 'x', 'b.gguf': 'x', 'a.gguf': GGUF, 'config.json': '{}' }),
        })
        const { page } = await pages[where]()

        await drop(page, zone(page), [join(folder, 'toy')])
        await headings(page).nth(5).waitFor()

        expect(await status(page).innerText()).toBe('read: config.json, a.gguf')
      })

      it('refuses what is dropped beside the place for it, which would replace the page', async () => {
        const folder = folderWith({ 'a.txt': 'another page' })
        const { page } = await pages[where]()
        await page.evaluate(
          'addEventListener("dragover", (event) => { window.seen = [event.defaultPrevented, event.dataTransfer.dropEffect] })',
        )
        const seenAt = async (place: Locator): Promise<unknown> => {
          await drop(page, place, [join(folder, 'a.txt')])
          return page.evaluate('window.seen')
        }

        expect(await seenAt(page.locator('h1'))).toEqual([true, 'none'])
        expect(await seenAt(page.locator('#model-address, #tab-model').first())).toEqual([true, 'none'])
        expect(await seenAt(zone(page))).toEqual([true, 'copy'])
      })
    })

    it('takes a folder from its picker, too', async () => {
      const folder = folderWith(below('toy/', MODEL))
      const { page } = await pages.inFile()

      await page.locator('#model-folder').setInputFiles(join(folder, 'toy'))
      await headings(page).nth(5).waitFor()

      expect(await filesRead(page)).toEqual(FILES_OF_MODEL)
    })

    it('says so where what is dropped is a text', async () => {
      const { page } = await pages.inFile()
      const transfer = await page.evaluateHandle(
        'const given = new DataTransfer(); given.setData("text/plain", "x"); given',
      )

      await zone(page).dispatchEvent('drop', { dataTransfer: transfer })

      await page.locator('.model-source .bad').first().waitFor()
      expect(await status(page).innerText()).toMatch(/^nothing was read: no file was given\./)
    })
  },
)
