import { formatNamed } from '@callspec/core'
import { parserNames } from '@callspec/core/identify'
import type { ModelAnswer } from './evidence.ts'
import type { Inspection } from './inspect-model.ts'

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

/** The version of a format in which a model is prompted: that whose prompts are all equal, or that of a known name; null for `strict`. */
export function promptedVersion(
  { format, versions }: Pick<Inspection, 'format' | 'versions'>,
  id: string,
): string | null {
  const equal = versions.find((each) => each.format === id && each.same === each.compared)
  const named = format.evidence.find((each) => each.version !== undefined && each.formats.includes(id))
  const version = equal?.version ?? named?.version ?? 'strict'
  return version === 'strict' ? null : version
}

/** What an engine answered to the cases of a format, or of a version of it (`qwen3.5@qwen3.6`). */
interface NamedAnswers {
  readonly engine: string
  readonly format: string
  readonly parser: string
}

/** Of the answers of engines those that are about a model: to its version where one was asked, and to the format where the same parser reads it. */
export function answersFor<Answers extends NamedAnswers>(
  all: readonly Answers[],
  format: string,
  version: string | null,
): readonly Answers[] {
  const own = all.filter((each) => version !== null && each.format === `${format}@${version}`)
  const isAbout = ({ engine, parser }: NamedAnswers): boolean =>
    own.every((each) => each.engine !== engine || each.parser === parser)
  return [...own, ...all.filter((each) => each.format === format && isAbout(each))]
}
