import { describe, expect, it } from 'vitest'
import { differences } from './helpers/differences.ts'
import { findPython } from './helpers/python.ts'

const python = findPython()

describe(`random templates render as Python renders them (${python ?? 'skipped: no python3 with jinja2'})`, () => {
  it.skipIf(python === null)('100 pairs; 20 000 are in the long tests', () => {
    expect(differences(python ?? '', { seed: 0, pairs: 100 })).toEqual([])
  })
})
