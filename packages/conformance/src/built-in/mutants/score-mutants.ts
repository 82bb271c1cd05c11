import type { ReadOptions, StreamDelta } from '@callspec/core'
import type { PyDict, PyValue } from '@callspec/python'
import { fromPlain, isDict, isList } from '@callspec/python'
import type { Case } from '../../cases/case.ts'
import { compareAnswers } from '../../comparison/compare.ts'
import type { Implementation, Question, Reply } from '../../implementation.ts'
import { formatImplementation } from '../implementation.ts'
import { comparable } from '../../comparison/normal-form.ts'
import { readOptions } from '../operations/coarse.ts'
import { answer, texts } from '../operations/operation.ts'
import { STRICT } from '../../protocol/declaration.ts'
import { judge } from '../../run/run-suite.ts'
import type { DeltaMaker, Mutant } from './make-mutant.ts'
import { mutantInput } from './mutant-file.ts'

/** A mutant as an implementation that reads replies, whole and in pieces. */
export function mutantImplementation({ spec, format, createDeltas }: Mutant): Implementation {
  const whole = formatImplementation(format, { name: spec.id, version: '0' })
  if (createDeltas === null) return whole
  return {
    ...whole,
    answer: (question) => (question.op === 'stream' ? streamed(question, createDeltas) : whole.answer(question)),
  }
}

function streamed({ input }: Question, createDeltas: (options?: ReadOptions) => DeltaMaker): Reply {
  const maker = createDeltas(readOptions(input))
  const deltas = [...texts(input, 'chunks').flatMap((chunk) => maker.push(chunk)), ...maker.end()]
  return { kind: 'returned', value: answer({ deltas: deltas.map(deltaAnswer) }) }
}

function deltaAnswer({ delta }: StreamDelta): PyDict {
  const { content, reasoning_content: reasoning, tool_calls: calls } = delta
  const pieces = calls?.map(({ index, function: called }): PyValue => fromPlain({ index, ...called }))
  return answer({
    delta: answer({
      ...(content === undefined ? {} : { content }),
      ...(reasoning === undefined ? {} : { reasoning }),
      ...(pieces === undefined ? {} : { calls: pieces }),
    }),
  })
}

/** What the strict cases say about one mutant. */
export interface CaseScore {
  /** How many cases about its format it was asked. */
  readonly asked: number
  /** Ids of those that it fails. */
  readonly failed: readonly string[]
  /** Of the cases whose answer has a call, and those that it answers rightly. */
  readonly aboutCalls: { readonly asked: number; readonly right: number }
}

/** Asks a mutant the strict cases about its format, those that read replies. */
export async function scoreByCases(mutant: Mutant, cases: readonly Case[]): Promise<CaseScore> {
  const implementation = mutantImplementation(mutant)
  const failed: string[] = []
  const aboutCalls = { asked: 0, right: 0 }
  let asked = 0
  for (const item of cases) {
    if (item.format !== mutant.spec.format || item.profile !== STRICT || !READING.has(item.op)) continue
    asked += 1
    const isRight = judge(item, await implementation.answer(item), { notes: true }).kind === 'passed'
    if (!isRight) failed.push(item.id)
    if (!expectsCall(item)) continue
    aboutCalls.asked += 1
    if (isRight) aboutCalls.right += 1
  }
  return { asked, failed, aboutCalls }
}

const READING: ReadonlySet<string> = new Set(['parse', 'stream'])

function expectsCall({ expected }: Case): boolean {
  return expected.kind === 'returned' && isDict(expected.value) && holdsCall(expected.value)
}

function holdsCall(value: PyDict): boolean {
  const items = value.get('items')
  if (isList(items)) return items.some((item) => isDict(item) && item.get('type') === 'call')
  const calls = value.get('calls')
  if (isList(calls)) return calls.length > 0
  const inner: readonly (PyValue | undefined)[] = [value.get('final'), ...listIn(value.get('any_of'))]
  return inner.some((each) => isDict(each) && holdsCall(each))
}

function listIn(value: PyValue | undefined): readonly PyValue[] {
  return isList(value) ? value : []
}

/** Whether a mutant answers its own question otherwise than the right parser, or looks at more of it. */
export async function differs(mutant: Mutant): Promise<boolean> {
  const { spec, right } = mutant
  const op = spec.differs.chunks === undefined ? 'parse' : 'stream'
  const question = { id: spec.id, op, format: spec.format, profile: STRICT, input: mutantInput(spec.differs) }
  if ('work' in spec.bug) return examineCase(mutant.format, spec) !== examineCase(right, spec)
  const original: Implementation = formatImplementation(right, { name: right.id, version: '0' })
  const [expected, actual] = [await original.answer(question), await mutantImplementation(mutant).answer(question)]
  if (expected.kind !== 'returned' || actual.kind !== 'returned') return expected.kind !== actual.kind
  const [left, other] = comparable(question, [expected, actual])
  return compareAnswers(left, other) !== null
}

function examineCase(format: Mutant['format'], { differs: { text, chunks = [text] } }: Mutant['spec']): number {
  let count = 0
  const reader = format.createReader({
    onExamined: (characters) => {
      count += characters
    },
  })
  for (const chunk of chunks) reader.push(chunk)
  reader.end()
  return count
}
