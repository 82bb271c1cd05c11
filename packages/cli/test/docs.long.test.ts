import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { playPage } from './helpers/play-page.ts'
import { updatePage } from './helpers/update-page.ts'
import { someOf } from '../../tidy/test/share.ts'

// Every session starts programs, and those of the pages below search or evaluate: that takes seconds.

const ROOT = resolve(import.meta.dirname, '../../..')
/** Short ones, played in every share of the long tests. */
const QUICK = [
  ...['nous', 'qwen', 'react'].map((format) => `docs/formats/${format}.md`),
  ...['bfcl', 'coverage', 'chat-templates', 'golden', 'identify', 'metagpt', 'profiles', 'prompts'].map(
    (page) => `docs/${page}.md`,
  ),
]
const PAGES = [
  'docs/formats/native.md',
  'docs/formats/role-react.md',
  'docs/adding-a-case.md',
  'docs/adding-a-format.md',
  'docs/evaluating-your-model.md',
  'docs/zh/evaluating-your-model.md',
  'docs/ci.md',
  'docs/conformance.md',
  'docs/evaluation.md',
  'README.zh.md',
]

it.each([...QUICK, ...someOf(PAGES)])('%s shows what its commands print', async (page) => {
  const { steps, printed } = await playPage(readFileSync(join(ROOT, page), 'utf8'))
  updatePage(join(ROOT, page), { steps, printed })

  expect(steps.length).toBeGreaterThan(0)
  expect(printed).toEqual(steps)
})
