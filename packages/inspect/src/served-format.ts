import { formatNamed } from '@callspec/core'
import { parserNames } from '@callspec/core/identify'
import type { ModelAnswer } from './evidence.ts'

/** The tool parsers that engines have for a format, and where its replies end. */
export interface ServedFormat {
  readonly id: string
  readonly vllm: readonly string[]
  readonly sglang: readonly string[]
  readonly stops: readonly string[]
}

/** By the id of a format. */
export function servedFormat(id: string): ServedFormat {
  const { vllm, sglang } = parserNames(id) ?? { vllm: [], sglang: [] }
  const stops = formatNamed(id)?.stops
  return { id, vllm, sglang, stops: stops === undefined ? [] : [...stops.end, ...stops.handOver, ...stops.words] }
}

/** The formats of a model, with the parsers that engines have for the model itself. */
export function servedModel({ formats, evidence }: Pick<ModelAnswer, 'formats' | 'evidence'>): readonly ServedFormat[] {
  const own = evidence.find(({ servedAs }) => servedAs !== undefined)?.servedAs
  const parsers = own === undefined ? {} : { vllm: own.vllm ?? [], sglang: own.sglang ?? [] }
  return formats.map((id) => ({ ...servedFormat(id), ...parsers }))
}
