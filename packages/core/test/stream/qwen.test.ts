import { describe, expect, it } from 'vitest'
import { formats } from '../../src/qwen-agent.ts'
import type { FunctionCall, StreamOptions } from '../../src/qwen-agent.ts'
import { callsIn, issuesIn, textsIn } from '../formats/helpers.ts'
import { fed } from './helpers.ts'
import { checkForcedCalls, checkQuotes } from './marked-laws.ts'

const { qwen } = formats

describe('a reply that arrives', () => {
  it('has a name before it has arguments, and arguments before they are whole', () => {
    const parts = ['One moment.\n✿FUNC', 'TION✿: clo', 'ck\n', '✿AR', 'GS✿', ': {"zone": "U', 'TC"}']

    const seen = afterEach(parts, (parser) => callsIn(parser.snapshot()))

    expect(seen).toEqual([
      [],
      [call('clo', '')],
      [call('clock', '')],
      [call('clock', '')],
      [call('clock', '')],
      [call('clock', '{"zone": "U')],
      [call('clock', '{"zone": "UTC"}')],
    ])
  })

  it('shows no beginning of a marker, and shows it again when it is none', () => {
    const seen = afterEach(['Hm✿', 'FUNC', ' ', '✿FUNCTION', '✿', '\n', 'x'], (parser) => textsIn(parser.snapshot()))

    expect(seen).toEqual([['Hm'], ['Hm'], ['Hm'], ['Hm✿FUNC'], ['Hm✿FUNC'], ['Hm✿FUNC'], ['Hm✿FUNC ✿FUNCTION✿\nx']])
  })

  it('has no call as long as nothing stands behind FUNCTION', () => {
    const text = '✿FUNCTION✿:✿FUNCTION✿:'
    const parser = fed(qwen.createStreamParser(), [text])

    expect(callsIn(parser.snapshot())).toEqual([])
    expect(issuesIn(text, parser.snapshot())).toEqual([
      ['call-without-name', '✿FUNCTION✿:'],
      ['call-without-name', '✿FUNCTION✿:'],
    ])

    parser.push('a')
    expect(callsIn(parser.snapshot())).toEqual([call('a', '')])
  })

  it('loses its comment when a brace follows that makes it a part of the arguments', () => {
    const start = '✿FUNCTION✿: a\n✿ARGS✿: {"b": 1}'

    const seen = afterEach([start, ' or so', '}'], (parser) => parser.snapshot())

    expect(seen.map((outcome) => callsIn(outcome)[0]?.arguments)).toEqual(['{"b": 1}', '{"b": 1}', '{"b": 1} or so}'])
    expect(seen.map((outcome) => issuesIn(`${start} or so}`, outcome))).toEqual([
      [],
      [['text-after-call-dropped', 'or so']],
      [['arguments-not-json', '{"b": 1} or so}']],
    ])
  })

  it('keeps a code block up to its last fence', () => {
    const start = '✿FUNCTION✿: a\n✿ARGS✿: ```py\nx\n``'

    const seen = afterEach([start, '`', ' done\n`', '``', '\n'], (parser) => callsIn(parser.snapshot())[0]?.arguments)

    expect(seen).toEqual([
      '```py\nx\n``',
      '```py\nx\n```',
      '```py\nx\n```',
      '```py\nx\n``` done\n```',
      '```py\nx\n``` done\n```',
    ])
  })

  it('is rejected from a stop word on', () => {
    const seen = afterEach(['Noon ✿RESULT', '✿', ' ✿FUNCTION✿: a'], (parser) => parser.snapshot())

    expect(seen.map(({ kind }) => kind)).toEqual(['parsed', 'rejected', 'rejected'])
    expect(issuesIn('Noon ✿RESULT✿', seen[2] ?? noOutcome())).toEqual([['stop-word-in-text', '✿RESULT✿']])
  })

  it('loses a partial stop word, and gets it back', () => {
    const seen = afterEach(['Noon ✿RESULT', 's', '✿RESULT✿ 12'], (parser) => parser.snapshot(), {
      stopWords: 'default',
    })

    expect(seen.map(textsIn)).toEqual([['Noon'], ['Noon ✿RESULTs'], ['Noon ✿RESULTs']])
    expect(issuesIn('Noon ✿RESULTs✿RESULT✿ 12', seen[2] ?? noOutcome())).toEqual([['stop-word-in-text', '✿RESULT✿ 12']])
  })

  it('goes on with the call that the prompt began', () => {
    const seen = afterEach([' \n', '✿ARGS', '✿', ': {}'], (parser) => callsIn(parser.snapshot()), {
      toolChoice: { name: 'clock' },
    })

    expect(seen).toEqual([[], [], [call('clock', '')], [call('clock', '{}')]])
  })

  it('loses the colon that the prompt left to it', () => {
    const seen = afterEach([':', ' ', 'noon'], (parser) => parser.snapshot())

    expect(seen.map((outcome) => issuesIn(': noon', outcome))).toEqual([
      [['marker-removed', ':']],
      [['marker-removed', ': ']],
      [['marker-removed', ': ']],
    ])
    expect(textsIn(seen[2] ?? noOutcome())).toEqual(['noon'])
  })

  it('is not looked at again behind a long piece of it', () => {
    let examined = 0
    const parser = qwen.createStreamParser({ onExamined: (characters) => (examined += characters) })
    parser.push(`✿FUNCTION✿: write\n✿ARGS✿: {"a": {}, "text": "${'Lorem ipsum. '.repeat(10_000)}`)
    parser.snapshot()
    examined = 0

    parser.push('dolor')
    parser.snapshot()

    expect(examined).toBeLessThan(50)
  })
})

describe('a parser for a wrong option', () => {
  it.each([
    ['an unknown profile', { profile: 'v9' }, 'Unknown profile "v9"'],
    ['a stop word without a tokenizer', { stopWords: ['END'] }, 'needs a tokenizer'],
  ])('is not made: %s', (_name, options, message) => {
    expect(() => qwen.createStreamParser(options)).toThrow(message)
  })
})

// Many more texts: marked.long.test.ts.
describe.each(qwen.profiles)('in %s', (profile) => {
  it('a forced call is read as parse reads it, wherever the reply is cut', () => {
    checkForcedCalls(profile, 250)
  })

  it('long pieces are quoted as parse quotes them', () => {
    checkQuotes(profile, 600)
  })
})

function afterEach<T>(
  parts: readonly string[],
  see: (parser: ReturnType<typeof qwen.createStreamParser>) => T,
  options: StreamOptions = {},
): readonly T[] {
  const parser = qwen.createStreamParser(options)
  return parts.map((part) => {
    parser.push(part)
    return see(parser)
  })
}

function call(name: string, args: string): FunctionCall {
  return { name, arguments: args }
}

function noOutcome(): never {
  throw new Error('there is no such snapshot')
}
