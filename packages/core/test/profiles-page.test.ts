import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { PROFILE_NAMES, profileNamed } from '../src/qwen-agent.ts'

const PAGE = readFileSync(resolve(import.meta.dirname, '../../../docs/profiles.md'), 'utf8')
const OLDEST_FIRST = [...PROFILE_NAMES].reverse()

it('docs/profiles.md lists every difference with its value in every version', () => {
  const expected = new Map(
    Object.keys(profileNamed('main') ?? {})
      .filter((key) => key !== 'name')
      .map((key) => [key, valuesOf(key)]),
  )

  expect(new Map(rowsOf(PAGE))).toEqual(expected)
})

/** The values of a difference as the page writes them: `=` stands for the value to the left. */
function valuesOf(key: string): readonly string[] {
  const shown = OLDEST_FIRST.map((name) =>
    show(Object.entries(profileNamed(name) ?? {}).find(([each]) => each === key)?.[1]),
  )
  return shown.map((value, index) => (index > 0 && value === shown[index - 1] ? '=' : value))
}

function show(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return value === '' ? '(empty)' : String(value)
}

/** The rows below "What differs": name, values, and an explanation that is not compared. */
function rowsOf(page: string): readonly (readonly [string, readonly string[]])[] {
  const tables = page.slice(page.indexOf('## What differs'))
  return Array.from(tables.matchAll(/^\| `(\w+)` +\|(.*)\|$/gm), ([, name = '', rest = '']) => {
    const cells = rest.split(/(?<!\\)\|/).map((cell) => cell.trim())
    return [name, cells.slice(0, OLDEST_FIRST.length)]
  })
}
