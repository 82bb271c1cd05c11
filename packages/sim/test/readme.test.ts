import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { FAULTS } from '../src/inject.ts'
import { POLICIES } from '../src/policies.ts'
import { SPOKEN_FORMATS } from '../src/spoken-formats.ts'
import type { SimFormat } from '../src/spoken-formats.ts'
import { TRANSPORT_RULES } from '../src/transport.ts'

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

const LETTERS: Readonly<Record<SimFormat, string>> = {
  'fncall-qwen': 'Q',
  'fncall-nous': 'H',
  react: 'R',
  native: 'N',
  'role-react': 'M',
}

/** The cells of the rows whose first cell fits. */
function rows(first: RegExp): readonly (readonly string[])[] {
  return README.split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .replaceAll('\\|', '\0')
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.replaceAll('\0', '|').replaceAll('`', '').trim()),
    )
    .filter(([cell = '']) => first.test(cell))
}

const plain = (text: string): string => text.replaceAll('`', '').trim()

describe('the list of faults', () => {
  it('is the catalogue, with the labels of every format', () => {
    const listed = rows(/^F\d\d$/).map(([id, name, looks, labels = '']) => {
      const byFormat = labels.split('; ').flatMap((part) => {
        const [letters = '', said = ''] = part.split(': ')
        return letters.split(' ').map((letter) => `${letter} ${said}`)
      })
      return { id, name, looks, labels: byFormat.sort() }
    })

    const known = [...FAULTS.values()].map(({ id, name, looks, expect: expected }) => ({
      id,
      name,
      looks: plain(looks),
      labels: SPOKEN_FORMATS.flatMap((format) => {
        const labels = expected[format]
        if (labels === undefined) return []
        const lenient = labels.lenient === labels.strict ? '' : ` / ${labels.lenient}`
        const isEnd = labels.end === null || labels.end === 'no_tool_stop' || labels.end === 'final_answer'
        return [`${LETTERS[format]} ${labels.strict}${lenient}${isEnd ? '' : ` → ${labels.end ?? ''}`}`]
      }).sort(),
    }))
    expect(listed).toEqual(known)
  })
})

describe('the lists of policies and of transports', () => {
  it('are complete', () => {
    const policies = [...POLICIES.values()].map(({ id, argument, about }) => [
      `${id}${argument === undefined ? '' : '(k)'}`,
      about,
    ])
    const transports = [...TRANSPORT_RULES].map(([name, { about }]) => [name, about])

    expect(rows(new RegExp(`^(?:${[...POLICIES.keys()].join('|')})(?:\\(k\\))?$`))).toEqual(policies)
    expect(rows(new RegExp(`^(?:${[...TRANSPORT_RULES.keys()].join('|')})$`))).toEqual(transports)
  })
})
