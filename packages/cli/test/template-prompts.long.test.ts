import { describe, expect, it } from 'vitest'

import { isDict } from '@callspec/python'

import { compileTemplate } from '@callspec/template'
import { builtInCases, findCaseFiles, readCases } from '@callspec/conformance'
import type { Case } from '@callspec/conformance'
import { promptCases } from '../../conformance/test/helpers/said-cases.ts'
import { LISTED, promptTemplates, sharedTemplates } from '../../conformance/test/helpers/shared-templates.ts'

const BY_FORMAT = await prompts()
const ASKED = LISTED.filter(({ format }) => BY_FORMAT.has(format))
const AT_HAND = sharedTemplates().filter(({ format }) => BY_FORMAT.has(format))

/** The built-in cases of prompts that a template makes, by format; those of the makers' programs differ from it. */
async function prompts(): Promise<ReadonlyMap<string, readonly Case[]>> {
  const found = new Map<string, Case[]>()
  for await (const item of readCases(await findCaseFiles([await builtInCases()]))) {
    if (item.op !== 'render' || item.profile !== 'strict' || item.format === undefined) continue
    if (item.provenance?.kind !== 'template') continue
    found.set(item.format, [...(found.get(item.format) ?? []), item])
  }
  return found
}

describe(`prompts of the cases (${ASKED.length - AT_HAND.length} of ${ASKED.length} templates are not at hand)`, () => {
  it.each(AT_HAND)('of $format are what the template of its maker makes', ({ format, text, beginning }) => {
    const template = compileTemplate(text)

    for (const { id, input, expected } of BY_FORMAT.get(format) ?? []) {
      const rendered = template.render(new Map([...input, ['bos_token', beginning ?? ''], ['eos_token', '<|im_end|>']]))

      const prompt = expected?.kind === 'returned' && isDict(expected.value) ? expected.value.get('text') : null
      expect([id, rendered]).toEqual([id, { kind: 'rendered', text: prompt }])
    }
  })

  it('are asked of each such format, numbers that engines spell otherwise among them', () => {
    expect(ASKED.length).toBeGreaterThanOrEqual(9)
    for (const { format } of ASKED) expect([8, 9]).toContain(BY_FORMAT.get(format)?.length)
    for (const { format } of ASKED) {
      const ids = BY_FORMAT.get(format)?.map(({ id }) => id)
      expect(ids).toContain(`${format}/render/values#1.0 and 2^63 in a call`)
    }
  })

  it.each(promptTemplates())(
    'of $format that name a template are what callspec’s own engine makes of it',
    async (given) => {
      const { text } = given
      const template = compileTemplate(text)
      const cases = (await promptCases(given)).filter(({ profile }) => profile !== 'strict')

      for (const { id, input, expected } of cases) {
        const tools = input.get('tools') ?? null
        const variables = new Map([['add_generation_prompt', true], ...input])
        const now = new Date(`${String(input.get('today') ?? '2026-01-15')}T12:00:00Z`)
        const hasTools = Array.isArray(tools) && tools.length > 0
        const rendered = template.render(variables.set('tools', hasTools ? tools : null), { now })

        const prompt = expected?.kind === 'returned' && isDict(expected.value) ? expected.value.get('text') : null
        expect([id, rendered]).toEqual([id, { kind: 'rendered', text: prompt }])
      }
    },
  )
})
