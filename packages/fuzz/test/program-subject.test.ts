import { formatNamed } from '@callspec/core'
import type { ParseOutcome } from '@callspec/core/qwen-agent'
import { isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { dumps, loads } from '@callspec/python/outcome'
import { describe, expect, it } from 'vitest'

import { formatParser, lawsNamed, parserSubject, programSubject, searchViolations } from '../src/index.ts'
import type { LawId } from '../src/index.ts'

// Readers that are right, and differ from ours in what no law promises.

const format = formatNamed('deepseek-v3.1')
if (format === null) throw new Error('no such format')
const ours = formatParser(format)
const RUNS = 400
const SEARCH = { runs: RUNS, seed: 3 }

/** A value as an object of JavaScript holds it: keys that are whole numbers first, in their order. */
function inObjects(value: PyValue): PyValue {
  if (isList(value)) return value.map(inObjects)
  if (!isDict(value)) return value
  const isIndex = (key: PyValue): boolean => /^(?:0|[1-9]\d{0,8})$/.test(String(key))
  const indices = [...value.keys()].filter(isIndex).sort((one, other) => Number(one) - Number(other))
  const keys = [...indices, ...[...value.keys()].filter((key) => !isIndex(key))]
  return new Map(keys.map((key) => [key, inObjects(value.get(key) ?? null)]))
}

/** The map that a JSON text holds; null for another text. */
function mapOf(text: string): PyValue {
  const read = loads(text)
  return read.kind === 'returned' && isDict(read.value) ? read.value : null
}

/** The arguments in the order in which an object holds them. */
function movedText(text: string): string {
  const written = dumps(inObjects(mapOf(text)))
  return written.kind === 'returned' && written.value !== 'null' ? written.value : text
}

interface How {
  /** Whether it gives arguments as the text of JSON, not as a value. */
  readonly asText: boolean
  readonly spaces: string
}

/** What our reader finds, in the flat form of the protocol, with arguments that went through an object of JavaScript. */
function outputOf(text: string, { asText, spaces }: How): PyDict {
  const outcome = ours.parse(text, { parallelCalls: true })
  const messages = outcome.kind === 'parsed' ? outcome.messages : []
  const calls = messages.flatMap(({ function_call: call }): readonly PyDict[] => {
    if (!call) return []
    const moved = movedText(call.arguments)
    return [
      new Map<string, PyValue>([
        ['name', call.name],
        ['arguments', asText ? moved : (mapOf(moved) ?? moved)],
      ]),
    ]
  })
  const prose = messages.map(({ content }) => (typeof content === 'string' ? content : '')).join('')
  return new Map<string, PyValue>([
    ['content', prose + (calls.length > 1 ? spaces : '')],
    ['calls', calls],
  ])
}

/** The breaches of laws by a program that reads as ours does; deltas of its streams have arguments as they are written. */
async function breachesOf(how: Partial<How>, laws: readonly LawId[]): Promise<readonly string[]> {
  const subject = programSubject({
    name: 'the program',
    format: ours,
    offers: ['parse', 'stream'],
    ask: (op, input) => {
      const chunks = input.get('chunks')
      const text = op === 'stream' && isList(chunks) ? chunks.join('') : String(input.get('text'))
      const output = outputOf(text, { asText: false, spaces: '', ...how })
      return Promise.resolve({ kind: 'returned', value: op === 'stream' ? deltasOf(output, text) : output })
    },
  })
  const found: string[] = []
  for (const law of lawsNamed(laws)) {
    const { findings } = await searchViolations(subject, { ...SEARCH, laws: [law] })
    found.push(...findings.map(({ breach }) => `${law.id}: ${breach}`))
  }
  return found
}

/** One delta with everything, the arguments in the order in which they are written. */
function deltasOf(output: PyDict, text: string): PyDict {
  const outcome = ours.parse(text, { parallelCalls: true })
  const written = outcome.kind === 'parsed' ? outcome.messages.flatMap(({ function_call: call }) => call ?? []) : []
  const calls = written.map(
    (call, index) => new Map<string, PyValue>([['index', BigInt(index)], ...Object.entries(call)]),
  )
  const delta = new Map(output).set('calls', calls)
  return new Map([['deltas', [new Map([['delta', delta]])]]])
}

describe('a program', () => {
  it('may hold arguments in an object that has an order of its own', async () => {
    const laws = ['round-trip', 'schema-typing', 'value-typing', 'mode-parity', 'utf-integrity'] as const

    expect(await breachesOf({}, laws)).toEqual([])
  })

  it('has to keep the order of keys where it gives arguments as text', async () => {
    expect(await breachesOf({ asText: true }, ['round-trip', 'schema-typing'])).toEqual([
      'round-trip: call-differs',
      'schema-typing: type-differs',
    ])
  })

  it('may read white space between calls as text, and nothing else', async () => {
    expect(await breachesOf({ spaces: '\n' }, ['round-trip'])).toEqual([])
    expect(await breachesOf({ spaces: '\n.' }, ['round-trip'])).toEqual(['round-trip: prose-appeared'])
  })
})

describe('a program that skips what its users never meet', () => {
  it('breaks no law by that', async () => {
    const subject = programSubject({
      ...{ name: 'the program', format: ours, offers: ['parse', 'stream'] },
      ask: () => Promise.resolve({ kind: 'skipped', reason: 'the engine declares no replies with a thought' }),
    })
    const { findings } = await searchViolations(subject, { ...SEARCH, laws: lawsNamed(['totality', 'mode-parity']) })

    expect(findings).toEqual([])
  })
})

describe('a program that reads tokens', () => {
  const marker = '<｜tool▁call▁begin｜>'

  /** Chunks with every marker of calls in one of them. */
  function atMarkers(chunks: readonly string[]): readonly string[] {
    return chunks.join('').split(/(<｜[^｜]*｜>)/)
  }

  /** It loses what it read where a chunk begins or ends within its marker. */
  async function findingsOf(arriving?: typeof atMarkers): Promise<readonly string[]> {
    const subject = programSubject({
      ...{ name: 'the program', format: ours, offers: ['parse', 'stream'] },
      ...(arriving === undefined ? {} : { arriving }),
      ask: (op, input) => {
        const chunks = input.get('chunks')
        const pieces = isList(chunks) ? chunks.map(String) : [String(input.get('text'))]
        const text = pieces.join('')
        const isBroken =
          text.split(marker).length !==
          pieces.map((each) => each.split(marker).length - 1).reduce((sum, count) => sum + count, 1)
        const read = isBroken
          ? outputOf('', { asText: false, spaces: '' })
          : outputOf(text, { asText: false, spaces: '' })
        return Promise.resolve({ kind: 'returned', value: op === 'stream' ? new Map([['final', read]]) : read })
      },
    })
    const { findings } = await searchViolations(subject, { ...SEARCH, laws: lawsNamed(['mode-parity']) })
    return findings.map(({ breach, sample }) => `${breach}: ${sample.text}`)
  }

  it('is asked for no stream that is cut within a token', async () => {
    expect((await findingsOf()).map((text) => text.split(':')[0])).toEqual(['end-differs'])
    expect(await findingsOf(atMarkers)).toEqual([])
  })
})

describe('a reader in this process', () => {
  const changed = async (change: (outcome: ParseOutcome) => ParseOutcome): Promise<readonly string[]> => {
    const subject = parserSubject({ parse: (text, options) => change(ours.parse(text, options)) }, { format: ours })
    const breaches: string[] = []
    for (const law of lawsNamed(['round-trip', 'schema-typing'])) {
      const { findings } = await searchViolations(subject, { ...SEARCH, laws: [law] })
      breaches.push(...findings.map(({ breach }) => `${law.id}: ${breach}`))
    }
    return breaches
  }

  it('has to keep the order of keys, and to drop white space between calls', async () => {
    expect(await changed((outcome) => outcome)).toEqual([])
    expect(
      await changed((outcome) =>
        outcome.kind === 'rejected'
          ? outcome
          : {
              ...outcome,
              messages: outcome.messages.map((message) =>
                message.function_call
                  ? {
                      ...message,
                      function_call: {
                        ...message.function_call,
                        arguments: movedText(message.function_call.arguments),
                      },
                    }
                  : message,
              ),
            },
      ),
    ).toEqual(['round-trip: call-differs', 'schema-typing: type-differs'])
    expect(
      await changed((outcome) =>
        outcome.kind === 'rejected' || outcome.messages.length < 2
          ? outcome
          : { ...outcome, messages: [...outcome.messages, { role: 'assistant', content: '\n' }] },
      ),
    ).toEqual(['round-trip: prose-appeared'])
  })
})
