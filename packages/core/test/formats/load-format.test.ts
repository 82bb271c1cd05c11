import { describe, expect, it } from 'vitest'
import { FORMATS, formatNamed } from '../../src/formats/index.ts'
import { FORMAT_IDS, loadFormat } from '../../src/formats/load-format.ts'

describe('a format that is loaded by itself', () => {
  it('has the ids of all formats, in their order', () => {
    expect(FORMAT_IDS).toEqual(FORMATS.map(({ id }) => id))
  })

  it.each(FORMATS.map((format) => [format.id, format] as const))('is the one of the list: %s', async (id, format) => {
    expect(await loadFormat(id)).toBe(format)
  })

  it.each([
    'glm-4.5@ling-3',
    'nous@granite-4.0',
    'nous@no-version',
    'nous@',
    'no-format',
    '@',
    '',
    'toString',
    '__proto__',
  ])('is the one that formatNamed gives, in a version and for an unknown name: %j', async (name) => {
    const [loaded, named] = [await loadFormat(name), formatNamed(name)]

    expect([loaded?.id, loaded?.versions]).toEqual([named?.id, named?.versions])
  })
})
