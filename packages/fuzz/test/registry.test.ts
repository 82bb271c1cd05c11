import { FORMATS } from '@callspec/core'
import { formats } from '@callspec/core/qwen-agent'
import { describe, expect, it } from 'vitest'

import { formatParser, formatSubject, searchViolations } from '../src/index.ts'
import { runsOf } from '../../tidy/test/share.ts'

/** The formats whose readers are grammars; those of Qwen-Agent have exceptions and tests of their own. */
const GRAMMARS = FORMATS.filter(({ id }) => !Object.hasOwn(formats, id)).map((format) => [format.id, format] as const)

describe('every format of the registry', () => {
  it.each(GRAMMARS)('%s holds all laws', async (_, format) => {
    const { findings, distribution } = await searchViolations(formatSubject(formatParser(format)), {
      runs: runsOf(12, 60),
      seed: 1,
    })

    expect(findings).toEqual([])
    expect(distribution.call).toBeGreaterThan(0)
  })
})
