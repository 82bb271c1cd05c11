import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileTemplate } from '../src/index.ts'
import { templates, variables } from './helpers/templates.ts'

const NOW = new Date('2026-01-15T12:00:00Z')
const LIMITS = { steps: 200_000, output: 1_000_000, milliseconds: 60_000 }

/** Texts of what templates are made of, in any order. */
const rubble = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '{{',
        '}}',
        '{%',
        '%}',
        '{#',
        '#}',
        '-',
        '+',
        '|',
        '(',
        ')',
        '[',
        ']',
        '{',
        '}',
        "'",
        '"',
        '\\',
        ' ',
        '\n',
        ',',
        '.',
        ':',
        '=',
        '*',
        '~',
        '_',
      ),
      fc.constantFrom(
        'if',
        'else',
        'endif',
        'for',
        'in',
        'endfor',
        'set',
        'macro',
        'raw',
        'endraw',
        'is',
        'not',
        'a',
        '1',
        '1.5',
        'é',
        'namespace',
        'loop',
        'recursive',
      ),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''))

/** JSON with any text and any number, and with keys that JavaScript knows otherwise. */
const anyJson = fc.dictionary(
  fc.constantFrom('a', 'b', 's', 'items', 'messages', 'm', 'n', '__proto__', 'constructor', 'raise_exception', 'range'),
  fc.jsonValue({ maxDepth: 4 }),
)

describe('rendering', () => {
  it('never throws, and does the same twice, for every template and all variables', () => {
    fc.assert(
      fc.property(templates, variables, (source, given) => {
        const template = compileTemplate(source)

        const first = template.render(given, { now: NOW, limits: LIMITS })

        expect(['rendered', 'raised']).toContain(first.kind)
        expect(template.render(given, { now: NOW, limits: LIMITS })).toEqual(first)
      }),
      { numRuns: 400 },
    )
  })

  it('never throws for what templates are made of, in any order', () => {
    fc.assert(
      fc.property(rubble, anyJson, (source, given) => {
        expect(['rendered', 'raised']).toContain(
          compileTemplate(source).render(given, { now: NOW, limits: LIMITS }).kind,
        )
      }),
      { numRuns: 2000 },
    )
  })

  it('never throws for variables that are not JSON', () => {
    for (const text of ['', '[]', '1', '{', '{"a": }', '"a"', '[1, ', 'null', '\ud800', '['.repeat(5000)]) {
      const rendering = compileTemplate('{{ a }}').render(text)

      expect(rendering.kind === 'raised' && rendering.error.type).toBe('VariablesError')
    }
  })

  it('leaves the variables as they are', () => {
    const given = { messages: [{ role: 'user', content: ['a'] }], m: { k: 1 } }
    const source =
      '{% set ns = namespace(m=m) %}{% set ns.m = 1 %}{% for x in messages|sort(attribute="role") %}{% set x = 1 %}{% endfor %}'

    compileTemplate(source).render(given)

    expect(given).toEqual({ messages: [{ role: 'user', content: ['a'] }], m: { k: 1 } })
  })
})
