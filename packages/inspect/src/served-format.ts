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

/** The same for a model of that format. Where its name is not known, nothing is said of version and template. */
export interface ServedModel extends ServedFormat {
  /** In which the model is prompted. */
  readonly version?: string
  /** Whether a chat template of the model was at hand when callspec's prompt was made. */
  readonly template?: boolean
}

/** By the id of a format. */
export function servedFormat(id: string): ServedFormat {
  const { vllm, sglang } = parserNames(id) ?? { vllm: [], sglang: [] }
  const stops = formatNamed(id)?.stops
  return { id, vllm, sglang, stops: stops === undefined ? [] : [...stops.end, ...stops.handOver, ...stops.words] }
}

/** The formats of a model, with the parsers that engines have for the model itself. */
export function servedModel({ formats, evidence }: Pick<ModelAnswer, 'formats' | 'evidence'>): readonly ServedModel[] {
  const own = evidence.find(({ servedAs }) => servedAs !== undefined)?.servedAs
  const parsers = own === undefined ? {} : { vllm: own.vllm ?? [], sglang: own.sglang ?? [] }
  return formats.map((id) => {
    const named = evidence.find((each) => each.hasTemplate !== undefined && each.formats.includes(id))
    const { version, hasTemplate } = named ?? {}
    return {
      ...servedFormat(id),
      ...parsers,
      ...(version === undefined ? {} : { version }),
      ...(hasTemplate === undefined ? {} : { template: hasTemplate }),
    }
  })
}
