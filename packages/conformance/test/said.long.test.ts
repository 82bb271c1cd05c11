import { describe, expect, it } from 'vitest'

import { shareOf, someOf } from '../../tidy/test/share.ts'
import { idOf, KNOWN, unknown } from './helpers/known-failures.ts'
import { NO_ENGINE, openDoor } from './helpers/llama-door.ts'
import type { DoorOptions } from './helpers/llama-door.ts'
import { drawn, promptCases, renderedBy, saidBy, strictCases, wasSaid } from './helpers/said-cases.ts'
import type { Said } from './helpers/said-cases.ts'
import { LISTED, promptTemplates, sharedTemplates } from './helpers/shared-templates.ts'
import type { Case } from '../src/index.ts'

async function said(cases: readonly Case[], options: DoorOptions, by = saidBy): Promise<Said> {
  const door = await openDoor(options)
  try {
    return await by(door, cases)
  } finally {
    await door.close()
  }
}

/** What is read as it is known to be: nothing else is wrong, and what is known is seen, too, or the list is old. */
function expectKnown(name: string, cases: readonly Case[], { counts, wrong, remarks }: Said): void {
  process.stderr.write(`${name}: ${JSON.stringify(counts)} ${remarks.slice(1).join('; ')}\n`)
  expect(unknown(wrong)).toEqual([])
  const ids = new Set(cases.map(({ id }) => id))
  expect(wrong.map(idOf).toSorted()).toEqual([...KNOWN].filter((id) => ids.has(id)).toSorted())
}

describe.skipIf(NO_ENGINE !== null)(`llama.cpp${NO_ENGINE === null ? '' : ` (${NO_ENGINE})`}`, () => {
  it(
    'reads every strict nous case of up to 2 000 tokens, but for those that it is known to fail',
    { timeout: 0 },
    async () => {
      const cases = someOf(await strictCases('nous'))

      expectKnown('nous', cases, await said(cases, {}))
    },
  )

  it('reads 40 cases with the whole vocabulary as it does with a small one', { timeout: 0 }, async () => {
    const cases = drawn(await strictCases('nous'), { count: shareOf(40), seed: 3 })

    expectKnown('nous, whole vocabulary', cases, await said(cases, { keep: null }))
  })
})

const TEMPLATES = sharedTemplates().filter(({ format }) => wasSaid(format))
const REASON = NO_ENGINE ?? (TEMPLATES.length === 0 ? 'the templates of others are not at hand' : null)
const ABSENT = `${LISTED.length - TEMPLATES.length} of ${LISTED.length} are not at hand`

describe.skipIf(REASON !== null)(`llama.cpp with the template of a format (${REASON ?? ABSENT})`, () => {
  it.each(TEMPLATES)(
    'reads cases of $format but for those that it is known to fail, and tells which markers are no tokens',
    { timeout: 0 },
    async ({ format, text, ...tokens }) => {
      const cases = someOf(await strictCases(format))

      const result = await said(cases, { template: text, ...tokens })

      expectKnown(format, cases, result)
      expect(result.remarks[0]).toMatch(
        /^said through "grammar", also with tools: \d+ texts, each seen to be the text of its case$/,
      )
    },
  )

  it.each(promptTemplates().filter(({ format }) => wasSaid(format)))(
    'shows the prompts of $format as Jinja2 does but for those that it is known to show otherwise',
    { timeout: 0 },
    async ({ text, ...template }) => {
      const { format, beginning, end } = template
      const cases = await promptCases(template)

      const result = await said(cases, { template: text, beginning, end }, renderedBy)

      expectKnown(`prompts of ${format}`, cases, result)
      const namesNumbers = result.remarks.some((remark) => remark.startsWith('render: prints '))
      // Of these every prompt differs in more: by a switch for thoughts, and by a template of the engine's own.
      expect(namesNumbers).toBe(cases.length > 0 && !['gemma-4', 'phi-4-mini'].includes(format))
    },
  )
})
