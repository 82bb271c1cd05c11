import { describe, expect, it } from 'vitest'

import { askedFormat, askedIds, askedText, caseLists, readAsked, sameCases } from '../src/index.ts'
import type { AskedCases } from '../src/index.ts'

function list(hashes: Readonly<Record<string, string>>, cuts: AskedCases['cuts'] = []): AskedCases {
  return { cuts, hashes: new Map(Object.entries(hashes)) }
}

const [ONE, TWO, NEW] = ['111111111111', '222222222222', '333333333333']

describe('a list of asked cases', () => {
  it('of a format has each strict case once, cuts of one text under one id', async () => {
    const lists = await caseLists()

    const whole = await lists.of('nous', 'parse', [])
    const cut = await lists.of('nous', 'cut', ['groups-1', 'tokens'])

    expect(whole.hashes.size).toBeGreaterThan(400)
    expect([...whole.hashes.keys()].every((id) => id.startsWith('nous/parse/'))).toBe(true)
    expect(new Set(whole.hashes.values()).size).toBe(whole.hashes.size)
    expect(cut.cuts).toEqual(['tokens', 'groups-1'])
    const [first = ''] = cut.hashes.keys()
    expect(askedIds(cut, new Set([first]))).toEqual([`${first} ~tokens`, `${first} ~groups-1`])
    expect((await lists.of('nous', 'cut', ['tokens'])).hashes.get(first)).not.toBe(cut.hashes.get(first))
    expect((await lists.of('no-format', 'parse', [])).hashes.size).toBe(0)
  })

  it('of a version has the cases of that version alone', async () => {
    const lists = await caseLists()

    const version = await lists.of('glm-4.7@ling-3', 'parse', [])
    const strict = await lists.of('glm-4.7', 'parse', [])

    expect([...version.hashes.keys()].every((id) => id.startsWith('glm-4.7/parse/versions#ling-3: '))).toBe(true)
    expect(version.hashes.size).toBeGreaterThan(5)
    expect([...strict.hashes.keys()].filter((id) => id.includes('/versions#'))).toEqual([])
    expect(askedFormat({ format: 'glm-4.7', profile: 'ling-3' })).toBe('glm-4.7@ling-3')
    expect(askedFormat({ format: 'glm-4.7', profile: 'lenient:callspec' })).toBeNull()
    expect(askedFormat({ format: 'nous', profile: 'qwen-agent@main' })).toBeNull()
  })

  it('survives its file, with ids of any characters', () => {
    const odd = list({ 'a/parse/b#two words  and 中文': ONE, 'a/parse/b#cuts x': TWO }, ['tokens', 'groups-1'])

    const { key, text } = askedText(odd)

    expect(key).toMatch(/^[0-9a-f]{12}$/)
    expect(text.split('\n')[0]).toBe('cuts tokens groups-1')
    expect(readAsked(text)).toEqual(odd)
    expect(readAsked(askedText(list({ 'cuts first': ONE })).text)).toEqual(list({ 'cuts first': ONE }))
    expect(readAsked('')).toEqual(list({}))
    expect(readAsked('no hash\n\n')).toEqual(list({}))
  })

  it('keeps what both ask in the same words, and nothing of other cuts', () => {
    const before = list({ a: ONE, b: TWO, gone: TWO })

    expect([...sameCases(list({ a: ONE, b: NEW, c: NEW }), before)]).toEqual(['a'])
    expect([...sameCases(list({ a: ONE }, ['tokens']), before)]).toEqual([])
  })
})
