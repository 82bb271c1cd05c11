import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { pagesOf, playable, playPage } from './helpers/play-page.ts'
import { blocksOf, linesIn } from './helpers/sessions.ts'
import { updatePage } from './helpers/update-page.ts'
import { someOf } from '../../tidy/test/share.ts'

// Every session starts programs, and those of some pages search or evaluate: that takes seconds.

const ROOT = resolve(import.meta.dirname, '../../..')
/** Short ones, played in every share of the long tests. */
const QUICK = [
  ...['nous', 'qwen', 'react'].map((format) => `docs/formats/${format}.md`),
  ...['bfcl', 'chat-templates', 'golden', 'identify', 'metagpt', 'profiles', 'prompts'].map(
    (page) => `docs/${page}.md`,
  ),
]
/** Every page with a block that can be played; scoreboards are written by a program. README.md: readme.long.test.ts. */
const PLAYED = pagesOf(ROOT).filter(
  (page) =>
    page !== 'README.md' &&
    !page.startsWith('reports/') &&
    blocksOf(read(page)).some(
      (block) => playable(block) && (block.language === 'console' || linesIn(block.text).length > 0),
    ),
)
const SLOW = PLAYED.filter((page) => !QUICK.includes(page))
/** The parser that pages search for breaches. */
const GIVEN = { 'naive_parser.py': read('packages/conformance/adapters/python-naive/naive_parser.py') }

it.each([...QUICK, ...someOf(SLOW)])('%s shows what its commands print', async (page) => {
  const { steps, printed, refused } = await playPage(read(page), GIVEN)
  updatePage(join(ROOT, page), { steps, printed, refused })

  expect(steps.length + refused.length).toBeGreaterThan(0)
  expect(printed).toEqual(steps)
  expect(refused).toEqual([])
})

function read(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8')
}
