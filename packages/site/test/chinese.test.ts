import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const DOCS = new URL('../../../docs/', import.meta.url)

const read = (path: string): string => readFileSync(new URL(path, DOCS), 'utf8')

/** What must be the same in every language: what the rows of tables are about, and blocks of code. */
function codesOf(page: string): readonly string[] {
  const rows = Array.from(page.matchAll(/^\| `([^`]+)`/gm), ([, code = '']) => code)
  const blocks = Array.from(page.matchAll(/^ *```\w*\n([^]*?)```$/gm), ([, code = '']) => code)
  return [...new Set([...rows, ...blocks])]
}

describe('a Chinese page', () => {
  it.each(['laws', 'metrics', 'protocol'])('%s has the rows and the code of the English one', (name) => {
    const english = codesOf(read(`${name}.md`))

    expect(english.length).toBeGreaterThan(10)
    expect(codesOf(read(`zh/${name}.md`))).toEqual(english)
  })
})
