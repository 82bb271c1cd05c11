import { dumps, isDict } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { describe, expect, it } from 'vitest'
import { answerLine } from '../src/index.ts'
import type { TemplateReader } from '../src/index.ts'
import { dictOf, hasVectors, namedInputs, vectorLines } from './helpers/vectors.ts'

// The answers of transformers' and vLLM's own readers, next to the repository. Members are compared in their order, too.

describe.skipIf(!hasVectors)('the public vectors', () => {
  const named = hasVectors ? namedInputs() : null

  /** Ids of the lines that are answered otherwise. */
  function wrong(file: string, reader: TemplateReader = 'transformers'): readonly string[] {
    if (named === null) return []
    return vectorLines(file).flatMap((line) => {
      const expected = reader === 'vllm' ? line.get('vllm') : line.get('expected')
      if (expected === undefined) return []
      const actual = answerLine(line, named, reader)
      return isEqual(dictOf(expected), dictOf(actual), String(line.get('op'))) ? [] : [String(line.get('id'))]
    })
  }

  it.each(['load', 'parse', 'stream', 'fuzz', 'content', 'cast', 'regex', 'reuse', 'roundtrip', 'schema'])(
    'are answered as the reference does: %s',
    (file) => {
      expect(wrong(file)).toEqual([])
    },
  )

  it('are answered as vLLM does where it differs', () => {
    expect(wrong('parse', 'vllm')).toEqual([])
  })
})

/** Of a raise only what the vectors call normative counts. */
function isEqual(expected: PyDict, actual: PyDict, op: string): boolean {
  const [left, right] = [expected.get('raise'), actual.get('raise')]
  if (left === undefined) return dumps(expected) === dumps(actual)
  if (!isDict(left) || !isDict(right)) return false
  const members = op === 'schema' ? ['type'] : membersThatCount(left)
  const rest = (dict: PyDict): PyValue => new Map(Array.from(dict).filter(([name]) => name !== 'raise'))
  return members.every((name) => same(left.get(name), right.get(name))) && dumps(rest(expected)) === dumps(rest(actual))
}

function membersThatCount(raise: PyDict): readonly string[] {
  const isText = raise.get('stage') === 'load' && raise.get('kind') !== 'regex'
  return ['stage', 'kind', ...(raise.get('kind') === 'other' ? ['type'] : []), ...(isText ? ['message'] : [])]
}

function same(left: PyValue | undefined, right: PyValue | undefined): boolean {
  return dumps(left ?? null) === dumps(right ?? null)
}
