import { FORMATS } from '@callspec/core'
import { formats } from '@callspec/core/qwen-agent'
import { expect, it } from 'vitest'

import { formatParser, formatSubject, searchViolations } from '../src/index.ts'
import { shareOf } from '../../tidy/test/share.ts'

/** As many texts per format as a campaign of a minute reads. */
const TEXTS = shareOf(5000)

it.each(FORMATS.filter(({ id }) => !Object.hasOwn(formats, id)).map((format) => [format.id, format] as const))(
  `%s holds all laws in ${TEXTS} texts`,
  async (_, format) => {
    const { findings } = await searchViolations(formatSubject(formatParser(format)), { runs: TEXTS, seed: 2 })

    expect(findings).toEqual([])
  },
)
