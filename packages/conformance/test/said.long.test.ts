import { describe, expect, it } from 'vitest'

import { IS_WHOLE, shareOf, someOf } from '../../tidy/test/share.ts'
import { idOf, KNOWN, unknown } from './helpers/known-failures.ts'
import { NO_ENGINE, openDoor } from './helpers/llama-door.ts'
import type { DoorOptions } from './helpers/llama-door.ts'
import { drawn, renderedBy, saidBy, strictCases, strictPrompts } from './helpers/said-cases.ts'
import type { Said } from './helpers/said-cases.ts'
import { sharedTemplates } from './helpers/shared-templates.ts'
import type { Case } from '../src/index.ts'

async function said(cases: readonly Case[], options: DoorOptions, by = saidBy): Promise<Said> {
  const door = await openDoor(options)
  try {
    return await by(door, cases)
  } finally {
    await door.close()
  }
}

describe.skipIf(NO_ENGINE !== null)(`llama.cpp${NO_ENGINE === null ? '' : ` (${NO_ENGINE})`}`, () => {
  it(
    'reads every strict nous case of up to 2 000 tokens, but for those that it is known to fail',
    { timeout: 0 },
    async () => {
      const cases = someOf(await strictCases('nous'))

      const { counts, wrong, remarks } = await said(cases, {})

      report('nous', { counts, remarks })
      expect(counts.errored).toBe(0)
      expect(unknown(wrong)).toEqual([])
      // What is known has to be seen, too, or the list is old.
      const ids = new Set(cases.map(({ id }) => id))
      expect(wrong.map(idOf).toSorted()).toEqual([...KNOWN].filter((id) => ids.has(id)).toSorted())
    },
  )

  it('reads them with the whole vocabulary as it does with a small one', { timeout: 0 }, async () => {
    const cases = drawn(await strictCases('nous'), { count: shareOf(40), seed: 3 })

    const { counts, wrong, remarks } = await said(cases, { keep: null })

    report('nous, whole vocabulary', { counts, remarks })
    expect(counts.errored).toBe(0)
    expect(unknown(wrong)).toEqual([])
  })
})

const TEMPLATES = sharedTemplates()
const REASON = NO_ENGINE ?? (TEMPLATES.length === 0 ? 'the templates of others are not at hand' : null)

describe.skipIf(REASON !== null)(`llama.cpp with the template of ${REASON ?? 'a format'}`, () => {
  it.each(TEMPLATES)(
    'says cases of $format, and tells which markers are no tokens',
    { timeout: 0 },
    async ({ format, text, beginning }) => {
      const cases = someOf(await strictCases(format))

      const { counts, remarks, wrong } = await said(cases, { template: text, beginning })

      report(format, { counts, remarks })
      if (IS_WHOLE) process.stderr.write(`${wrong.join('\n')}\n`)
      expect(counts.errored).toBe(0)
      expect(remarks[0]).toMatch(
        /^said through "grammar", also beside tools: \d+ texts, each seen to be the text of its case$/,
      )
    },
  )

  // The makers' own templates among them, which ask for no date and no way of thinking.
  it.each(TEMPLATES.filter(({ format, prompts }) => prompts !== null && format.startsWith('glm')))(
    'shows prompts of $format, and names numbers that it spells otherwise',
    { timeout: 0 },
    async ({ format, text, beginning, prompts }) => {
      const cases = await strictPrompts(prompts ?? '')

      const { counts, remarks, wrong } = await said(cases, { template: text, beginning }, renderedBy)

      process.stderr.write(`${format}: ${JSON.stringify(counts)} ${remarks.join('; ')}\n`)
      if (IS_WHOLE) process.stderr.write(`${wrong.join('\n')}\n`)
      expect(counts.errored).toBe(0)
      expect(counts.passed).toBeGreaterThan(40)
      expect(remarks).toContainEqual(expect.stringMatching(/^render: prints 1\.0 as 1: \d+ ×$/))
    },
  )
})

function report(name: string, { counts, remarks }: Omit<Said, 'wrong'>): void {
  process.stderr.write(`${name}: ${JSON.stringify(counts)} ${remarks.slice(1).join('; ')}\n`)
}
