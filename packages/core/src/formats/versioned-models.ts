import type { ServedAs } from '../format/format.ts'
import { ENGINES, VLLM_DOCS } from './unread-models.ts'

/** As `KnownModel`; what is absent is: a chat template that was at hand, as the README of the format names it. */
interface VersionedModel {
  readonly name: RegExp
  readonly formats: readonly string[]
  readonly version: string
  readonly title: string
  readonly lacks?: string
  readonly servedAs?: ServedAs
  readonly hasTemplate?: boolean
  readonly source?: string
}

/** Models that are prompted in a version of a format. Special names come before general ones. */
export const VERSIONED_MODELS: readonly VersionedModel[] = [
  {
    name: /qwen-?3\.6/,
    formats: ['qwen3.5'],
    version: 'qwen3.6',
    title: 'Qwen3.6',
  },
  {
    name: /qwen-?3\.8-max/,
    formats: ['qwen3.5'],
    version: 'qwen3.8-max',
    title: 'Qwen3.8-Max',
  },
  {
    name: /qwen-?3\.8/,
    formats: ['qwen3.5'],
    version: 'qwen3.8',
    title: 'Qwen3.8',
  },
  {
    name: /nemotron-3-nano/,
    formats: ['qwen3.5'],
    version: 'nemotron-3',
    title: 'Nemotron 3 Nano',
  },
  {
    name: /nemotron-3-super/,
    formats: ['qwen3.5'],
    version: 'nemotron-3-super',
    title: 'Nemotron 3 Super',
  },
  {
    name: /nemotron-3-ultra/,
    formats: ['qwen3.5'],
    version: 'nemotron-3-ultra',
    title: 'Nemotron 3 Ultra',
  },
  {
    name: /(?:^|[^a-z0-9])step-?3\.5/,
    formats: ['qwen3.5'],
    version: 'step-3.5',
    title: 'Step 3.5',
    servedAs: { vllm: ['step3p5'], sglang: ['step3p5'] },
  },
  {
    name: /(?:^|[^a-z0-9])step-?3\.7/,
    formats: ['qwen3.5'],
    version: 'step-3.7',
    title: 'Step 3.7',
    lacks: 'Its prompt is that of the template in llama.cpp, which llama.cpp has edited.',
    servedAs: { vllm: ['step3p5'], sglang: ['step3p5'] },
    hasTemplate: false,
    source: 'StepFun3.7-Flash.jinja of llama.cpp at ca13f4c',
  },
  {
    name: /mimo-?v2\.6/,
    formats: ['qwen3.5'],
    version: 'mimo-v2.6',
    title: 'MiMo V2.6',
    lacks: 'Its prompt is not covered.',
    servedAs: { vllm: ['mimo'], sglang: ['mimo'] },
    hasTemplate: false,
    source: `${ENGINES} read it by mimo, which keeps the line feeds of values`,
  },
  {
    name: /(?:^|[^a-z0-9])ling-?3/,
    formats: ['glm-4.7'],
    version: 'ling-3',
    title: 'Ling 3',
    servedAs: { vllm: ['ling3'], sglang: ['ling3'] },
  },
  {
    name: /laguna-xs\.2/,
    formats: ['glm-4.7'],
    version: 'laguna-xs.2',
    title: 'Laguna XS.2',
    servedAs: { vllm: ['poolside_v1'], sglang: ['poolside_v1'] },
  },
  {
    name: /laguna-xs-2\.1/,
    formats: ['glm-4.7'],
    version: 'laguna-xs-2.1',
    title: 'Laguna XS 2.1',
    servedAs: { vllm: ['poolside_v1'], sglang: ['poolside_v1'] },
  },
  {
    name: /laguna-s-2\.1/,
    formats: ['glm-4.7'],
    version: 'laguna-s-2.1',
    title: 'Laguna S 2.1',
    servedAs: { vllm: ['poolside_v1'], sglang: ['poolside_v1'] },
  },
  {
    name: /granite-?4\.0/,
    formats: ['nous'],
    version: 'granite-4.0',
    title: 'Granite 4.0',
    servedAs: { vllm: ['granite4'] },
    source: `its chat template, named in the README of the format; ${VLLM_DOCS}`,
  },
  {
    name: /granite-?4\.1/,
    formats: ['nous'],
    version: 'granite-4.1',
    title: 'Granite 4.1',
    servedAs: { vllm: ['granite4'] },
    source: `its chat template, named in the README of the format; ${VLLM_DOCS}`,
  },
  {
    name: /reka-?edge/,
    formats: ['nous'],
    version: 'reka-edge',
    title: 'Reka Edge',
  },
]
