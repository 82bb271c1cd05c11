import { describe, expect, it } from 'vitest'
import { readLiteral } from '../src/literal.ts'
import { attempt } from '../src/errors.ts'
import { hostileLiterals } from './hostile-texts.ts'
import { shareOf } from '../../tidy/test/share.ts'

describe('a megabyte of', { timeout: 60_000 }, () => {
  it.each(Object.entries(hostileLiterals(shareOf(1 << 20))))('%s is read or refused at once', (_, text) => {
    expect(['returned', 'raised']).toContain(attempt(() => readLiteral(text)).kind)
  })
})
