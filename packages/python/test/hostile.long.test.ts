import { describe, expect, it } from 'vitest'
import { attempt } from '../src/errors.ts'
import { hostileTexts } from './hostile-texts.ts'
import { READERS } from './readers.ts'
import { shareOf } from '../../tidy/test/share.ts'

describe('a megabyte of', { timeout: 60_000 }, () => {
  it.each(Object.entries(hostileTexts(shareOf(1 << 20))))(
    '%s is read to a value or a raise by every reader',
    (_name, text) => {
      const kinds = Object.values(READERS).map((read) => attempt(() => read(text)).kind)

      expect(kinds.filter((kind) => kind !== 'returned' && kind !== 'raised')).toEqual([])
    },
  )
})
