import type { ReadOptions } from '@callspec/core'
import type { StreamDelta } from '@callspec/core/qwen-agent'
import { fromPlain } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import type { Implementation, Question, Reply } from '../implementation.ts'
import { formatImplementation } from '../in-process.ts'
import { readOptions } from '../operations/any-format.ts'
import { answer, texts } from '../operations/read.ts'
import type { DeltaMaker, Mutant } from './make-mutant.ts'

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
