import { describe, expect, it } from 'vitest'
import { differences } from './helpers/differences.ts'
import { findPython } from './helpers/python.ts'
import { shareOf } from '../../tidy/test/share.ts'

const python = findPython()
const ROUNDS = shareOf(20)
const PAIRS = shareOf(1000, 200)
const seeds = Array.from({ length: ROUNDS }, (_, index) => index + 1)

describe(`random templates render as Python renders them (${python ?? 'skipped: no python3 with jinja2'})`, () => {
  it.skipIf(python === null).each(seeds)(`${PAIRS} pairs of seed %i`, (seed) => {
    expect(differences(python ?? '', { seed, pairs: PAIRS })).toEqual([])
  })
})
