import { describe, it } from 'vitest'
import { formats } from '../../src/qwen-agent.ts'
import { PIECES, soups } from '../formats/hostile-pieces.ts'
import { expectAsWhole } from './helpers.ts'
import { shareOf } from '../../../tidy/test/share.ts'

const CALLS: { readonly [id: string]: (args: string) => string } = {
  qwen: (args) => `✿FUNCTION✿: a\n✿ARGS✿: ${args}`,
  nous: (args) => `<tool_call>{"name": "a", "arguments": ${args}}</tool_call>`,
  react: (args) => `x\nAction: a\nAction Input: ${args}`,
}

const MILLION = shareOf(1_000_000)
const ARGUMENTS: { readonly [name: string]: string } = {
  '10 million nested lists': '['.repeat(10 * MILLION) + ']'.repeat(10 * MILLION),
  '2 million nested maps': `${'{"a":'.repeat(2 * MILLION)}1${'}'.repeat(2 * MILLION)}`,
  '10 million open brackets': '['.repeat(10 * MILLION),
  '3 million empty lists': `[${'[],'.repeat(3 * MILLION)}1]`,
  'half a million members': `{${Array.from({ length: MILLION / 2 }, (_, index) => `"k${index}": 1`).join(', ')}}`,
  'a million members of one name': `{${'"k": 1, '.repeat(MILLION)}"k": 1}`,
  '5 million escaped newlines': `"${'\\n'.repeat(5 * MILLION)}"`,
  '1.5 million escapes by number': `"${'\\u0041'.repeat(1.5 * MILLION)}"`,
  '5 million escaped quotes': `"${'\\"'.repeat(5 * MILLION)}"`,
  'an int of 10 million digits': '1'.repeat(10 * MILLION),
  'a float of 10 million digits': `0.${'1'.repeat(10 * MILLION)}`,
  'a JSON5 comment of 10 million characters': `/*${'*'.repeat(10 * MILLION)}*/1`,
  'a JSON5 text of 5 million escapes': `'${`\\'`.repeat(5 * MILLION)}'`,
  '10 million spaces': `{"a":${' '.repeat(10 * MILLION)}1}`,
  '2.5 million fences': '```'.concat('\n```'.repeat(2.5 * MILLION)),
}

describe.each(Object.values(formats))('$id', { timeout: 300_000 }, (format) => {
  it.each(PIECES)('reads a megabyte of %j in chunks of 1000 as it reads it whole', (piece) => {
    for (const text of soups(format.id, piece, MILLION))
      expectAsWhole(format, text, { parallelCalls: true, profile: 'strict' })
  })

  it.each(Object.keys(ARGUMENTS))('reads %s as arguments, whole and in chunks', (name) => {
    expectAsWhole(format, CALLS[format.id]?.(ARGUMENTS[name] ?? '') ?? '', { profile: 'strict' })
  })

  it.each(['<', '[', '"', '\\', '\n', ' ', 'x', '\ud83d'])('reads 64 million times %j, whole and in chunks', (unit) => {
    expectAsWhole(format, unit.repeat(64 * MILLION), { profile: 'strict' }, 1 << 20)
  })
})
