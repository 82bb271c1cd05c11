import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import { loads } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { describe, expect, it } from 'vitest'

import { compareAnswers, comparable } from '../src/index.ts'
import { readCase, unknownMembers } from '../src/cases/case.ts'
import { REPOSITORY } from './helpers/cases.ts'

const PAGE = readFileSync(resolve(REPOSITORY, 'docs/protocol.md'), 'utf8')

/** What a rule says of two readings: the line's, an answer, and whether they are the same. */
interface Example {
  readonly format?: string
  /** Whether the program declares notes. */
  readonly notes?: true
  readonly line: string
  readonly answer: string
  readonly same: boolean
}

const call = (given: string, more = ''): string =>
  `{"content": "", "calls": [{"name": "f", "arguments": ${given}${more}}]}`
const items = (...texts: readonly string[]): string =>
  `{"items": [${texts.map((text) => `{"type": "text", "text": ${JSON.stringify(text)}}`).join(', ')}]}`

/** Examples of every rule of the page, by the words with which it begins. */
const RULES: Readonly<Record<string, readonly Example[]>> = {
  'Prose and reasoning': [
    {
      line: '{"content": "a b", "reasoning": "t"}',
      answer: '{"content": "\\n a b ", "reasoning": "t\\n"}',
      same: true,
    },
    { line: '{"content": "a b", "calls": []}', answer: '{"content": "a  b", "calls": []}', same: false },
    { line: '{"content": "", "reasoning": "t u"}', answer: '{"content": "", "reasoning": "tu"}', same: false },
  ],
  Joints: [
    { line: items('a b', 'c'), answer: items('a b\n\nc'), same: true },
    { line: items('a bc'), answer: items('a b', ' c'), same: true },
    { line: items('a b', 'c'), answer: items('ab c'), same: false },
    { line: items('a', 'b'), answer: '{"content": "a b", "calls": []}', same: true },
  ],
  Arguments: [
    { line: call('"{\\"a\\": 1, \\"b\\": []}"'), answer: call('{"b": [], "a": 1}'), same: true },
    { line: call('"{\\"a\\": 1}"'), answer: call('"{\\"a\\":1}"'), same: true },
    { line: call('"{\\"a\\": 1}"'), answer: call('"{\\"a\\": \\"1\\"}"'), same: false },
  ],
  Numbers: [
    { line: call('{"a": 1}'), answer: call('{"a": 1.0}'), same: false },
    { line: call('{"a": 1.50}'), answer: call('{"a": 1.5}'), same: true },
    { line: call('{"a": 12345678901234567890}'), answer: call('{"a": 12345678901234567891}'), same: false },
  ],
  'Free text': [
    { line: call('"print( 1 )"'), answer: call('"print( 1 )"'), same: true },
    { line: call('"print( 1 )"'), answer: call('"print(1)"'), same: false },
  ],
  Ids: [
    { line: call('{}', ', "id": "x"'), answer: call('{}', ', "id": "y"'), same: false },
    { line: call('{}', ', "id": "x"'), answer: call('{}'), same: false },
    { line: call('{}'), answer: call('{}', ', "id": "y"'), same: true },
    ...['kimi-k2', 'mistral-v3', 'mistral-v11', 'command-r7b'].map((format) => ({
      ...{ format, line: call('{}'), answer: call('{}', ', "id": "y"'), same: false },
    })),
    { format: 'mistral-v13', line: call('{}'), answer: call('{}', ', "id": "y"'), same: true },
  ],
  Notes: [
    { line: call('{}', ', "note": "call-in-code"'), answer: call('{}'), same: true },
    { line: call('{}', ', "note": null'), answer: call('{}', ', "note": "call-in-code"'), same: true },
    { notes: true, line: call('{}', ', "note": "call-in-code"'), answer: call('{}'), same: false },
    { notes: true, line: call('{}', ', "note": null'), answer: call('{}'), same: true },
    { notes: true, line: call('{}'), answer: call('{}', ', "note": "call-in-code"'), same: true },
  ],
  Refusals: [],
  Form: [
    { line: '{"items": [{"type": "call", "name": "f", "arguments": {}}]}', answer: call('{}'), same: true },
    { line: call('{}'), answer: '{"items": [{"type": "call", "name": "f", "arguments": {}}]}', same: true },
  ],
  'Other members': [{ line: call('"{}"', ', "value": {}, "not_json": false'), answer: call('"{}"'), same: true }],
  'No profile': [],
}

const returned = (text: string): { readonly kind: 'returned'; readonly value: PyValue } => ({
  kind: 'returned',
  value: loads(text),
})

describe('how strict lines are compared', () => {
  it('is written on the page, rule by rule', () => {
    const section = PAGE.slice(PAGE.indexOf('### How strict lines are compared')).split('\n## ')[0] ?? ''

    expect(Array.from(section.matchAll(/^- \*\*([^*]+)\*\*/gm), ([, name]) => name)).toEqual(Object.keys(RULES))
  })

  const examples = Object.entries(RULES).flatMap(([rule, listed]) => listed.map((example) => ({ rule, ...example })))

  it.each(examples)('$rule: $line and $answer: $same', ({ format, notes, line, answer, same }) => {
    const topic = {
      ...{ op: 'parse', profile: 'strict', ...(format === undefined ? {} : { format }) },
      ...(notes === undefined ? {} : ({ notes: 'as expected' } as const)),
    }

    expect(compareAnswers(...comparable(topic, [returned(line), returned(answer)])) === null).toBe(same)
  })

  it('lets only the fact of a refusal count', () => {
    const topic = { op: 'render', profile: 'strict', format: 'mistral-v13' }
    const error: PyDict = new Map([
      ['type', 'TemplateError'],
      ['message', 'a'],
    ])
    const refused = { kind: 'raised', error: { type: 'Refused', message: 'b' } } as const

    expect(compareAnswers(...comparable(topic, [{ kind: 'raised', error }, refused]))).toBe(null)
    expect(compareAnswers(...comparable(topic, [returned('{"text": ""}'), refused]))).not.toBe(null)
  })

  it('takes a line without a profile for strict where Qwen-Agent has no versions of its format', () => {
    const profileOf = (format: string): string =>
      readCase(loads(`{"id": "a", "op": "parse", "format": "${format}", "input": {}, "expected": {}}`), 'line 1')
        .profile

    expect(['nous', 'qwen', 'react'].map(profileOf)).toEqual(['main', 'main', 'main'])
    expect(['kimi-k2', 'pythonic', 'hermes', 'my-own'].map(profileOf)).toEqual(['strict', 'strict', 'strict', 'strict'])
  })

  it('knows the members that recorded lines have', () => {
    const known = ['confirmed', 'calls_confirmed', 'against', 'by_template', 'stream_differs', 'streamed', 'evidence']
    const more = ['provenance', 'plain', 'note', 'about']
    const line = `{${[...known, ...more, 'expcted'].map((name) => `"${name}": 1`).join(', ')}}`

    expect(unknownMembers(loads(line) as PyDict)).toEqual(['expcted'])
  })
})

describe('the origin of a case', () => {
  const read = (members: string): ReturnType<typeof readCase> =>
    readCase(
      loads(`{"id": "a", "op": "parse", "format": "x", "input": {"text": "a😀b"}, "expected": {}, ${members}}`),
      'line 1',
    )

  it('is kept with it', () => {
    const provenance = {
      kind: 'template',
      source: 'x.jinja',
      revision: '69d8e4b',
      licence: 'MIT',
      sha256: '95a231a15c8c976a',
    }

    expect(read(`"provenance": ${JSON.stringify(provenance)}, "plain": [[0, 1], [1, 3]]`)).toMatchObject({
      provenance,
      plain: [
        [0, 1],
        [1, 3],
      ],
    })
  })

  it.each([
    ['"provenance": 1', 'has a "provenance" that is not a map.'],
    ['"provenance": {"kind": "rumour", "source": "x"}', 'has no "provenance.kind" that is one of template, parser,'],
    ['"provenance": {"kind": "spec"}', 'has no "provenance.source".'],
    ['"provenance": {"kind": "spec", "source": "x", "licence": 1}', 'has a "provenance.licence" that is not text.'],
    ['"provenance": {"kind": "spec", "source": "x", "sha256": "XYZ"}', 'has a "provenance.sha256" that is not 8 to 64'],
    ['"plain": {}', 'has a "plain" that is not a list.'],
    ['"plain": [[1]]', 'has a "plain[0]" that is not two whole numbers.'],
    ['"plain": [[0, 1.0]]', 'has a "plain[0]" that is not two whole numbers.'],
    ['"plain": [[2, 2]]', 'has a "plain[0]" that is empty, overlaps the one before it, or leaves the text.'],
    ['"plain": [[0, 4]]', 'has a "plain[0]" that is empty,'],
    ['"plain": [[0, 2], [1, 3]]', 'has a "plain[1]" that is empty,'],
  ])('%s is refused', (members, message) => {
    expect(() => read(members)).toThrow(`line 1: ${message}`)
  })
})
