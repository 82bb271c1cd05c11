/*
 * Which formats models speak, by their names. The order decides, also between families, so this is one list and not a member of each
 * format. Every entry has a source: a wrong format costs more than none.
 */

import type { ServedAs } from '../format/format.ts'
import { ENGINES, TEMPLATES, UNREAD_MODELS, VLLM_DOCS } from './unread-models.ts'
import { VERSIONED_MODELS } from './versioned-models.ts'

export interface KnownModel {
  /** What a name of them holds, in lower case, with `-` for every blank and underscore. */
  readonly name: RegExp
  /** Ids of formats; several where the name does not decide, none where callspec cannot read what the model writes. */
  readonly formats: readonly string[]
  /** The version of the format in which these models are prompted; absent: `strict`. */
  readonly version?: string
  /** For people; of models that speak the format of others, or one that callspec cannot read. */
  readonly title?: string
  /** What of its prompt is not covered, in one sentence. */
  readonly lacks?: string
  /** Parsers that engines have for these models, where they are not those of the format. */
  readonly servedAs?: ServedAs
  /** Whether a chat template of these models was at hand. Without `lacks` the prompt is compared with it. */
  readonly hasTemplate: boolean
  /** What says so: a chat template, the maker, or an engine. */
  readonly source: string
}

const NOT_CHECKED = 'Replies only: its prompt was not checked.'
const OWN_PROMPT = 'Its prompt is not that of the format, and is not covered.'
const JSON_WORDS = 'Its prompt prints true and null where that of Qwen3.5 prints True and None'
const SGLANG_DOCS = 'docs/advanced_features/tool_parser.ipynb of SGLang, 27d1b7f'
const SGLANG_RULES = 'srt/parser/template_detection.py of SGLang 0.5.23'
const COMMON = 'mistral-common 1.11.7, and the vocabularies of the models'

/** A model whose prompt is compared with its own template: see the README of the format. */
const README = 'its chat template, named in the README of the format'

/** The first whose name fits counts: special names come before general ones. */
export const KNOWN_MODELS: readonly KnownModel[] = [
  ...UNREAD_MODELS.map(([name, title, source, hasTemplate]) => ({
    name,
    formats: [],
    title,
    source,
    hasTemplate: hasTemplate === true,
  })),
  ...VERSIONED_MODELS.map((model) => ({
    ...model,
    hasTemplate: model.hasTemplate ?? true,
    source: model.source ?? README,
  })),
  { name: /(?:^|[^a-z0-9])hy-?v?3(?![.\d])/, formats: ['hy-v3'], hasTemplate: true, source: README },
  { name: /gigachat-?3\.1/, formats: ['gigachat3'], hasTemplate: true, source: README },
  {
    name: /gigachat-?3(?![.\d])/,
    formats: ['gigachat3'],
    title: 'GigaChat 3',
    lacks: 'Its prompt shows a call as a message of its own; that is not covered.',
    hasTemplate: true,
    source: TEMPLATES,
  },
  { name: /hunyuan-?a13b/, formats: ['hunyuan-a13b'], hasTemplate: true, source: README },
  {
    name: /apriel-?1\.[56]/,
    formats: ['hunyuan-a13b'],
    title: 'Apriel 1.5, 1.6',
    lacks: 'Its prompt is not that of the format, and its final answer is marked in the text; that is not covered.',
    servedAs: {},
    hasTemplate: true,
    source: TEMPLATES,
  },
  {
    name: /(?:^|[^a-z0-9])jamba/,
    formats: ['hunyuan-a13b'],
    title: 'Jamba',
    lacks: NOT_CHECKED,
    servedAs: { vllm: ['jamba'] },
    hasTemplate: false,
    source: 'tool_parsers/jamba_tool_parser.py of vLLM 0.33.0: a JSON list in the same tags',
  },
  { name: /apertus/, formats: ['apertus'], hasTemplate: true, source: README },
  {
    name: /coder-next/,
    formats: ['qwen3.5'],
    title: 'Qwen3-Coder-Next',
    lacks: `${JSON_WORDS}, and is not covered.`,
    hasTemplate: true,
    source: 'Qwen3-Coder-Next: its chat template writes calls as Qwen3.5',
  },
  {
    name: /nemotron-3(?:\.5)?(?:-|$)/,
    formats: ['qwen3.5'],
    title: 'Nemotron 3.5',
    lacks: NOT_CHECKED,
    hasTemplate: false,
    source: `the calls are those of Nemotron 3 (${SGLANG_RULES})`,
  },
  {
    name: /granite-4\.2/,
    formats: ['qwen3.5'],
    title: 'Granite 4.2',
    lacks: NOT_CHECKED,
    hasTemplate: false,
    source: `the calls are those of Nemotron 3 (${SGLANG_RULES})`,
  },
  {
    name: /nanbeige-?4/,
    formats: ['qwen3-coder', 'qwen3.5'],
    title: 'Nanbeige',
    lacks: NOT_CHECKED,
    servedAs: { sglang: ['nanbeige'] },
    hasTemplate: false,
    source: 'SGLang 0.5.23 reads it by nanbeige, the parser of qwen3_coder',
  },
  {
    name: /glm-?5\.3/,
    formats: ['glm-4.7'],
    title: 'GLM-5.3',
    lacks: 'Its prompt always opens a thought and names a reasoning effort; that is not covered.',
    hasTemplate: false,
    source: SGLANG_RULES,
  },
  {
    name: /(?:^|[^a-z0-9])ring-?2\.6/,
    formats: ['glm-4.5'],
    title: 'Ring 2.6',
    lacks: NOT_CHECKED,
    hasTemplate: false,
    source: SGLANG_RULES,
  },
  {
    name: /laguna/,
    formats: ['glm-4.7'],
    title: 'Laguna, others',
    lacks: NOT_CHECKED,
    servedAs: { vllm: ['poolside_v1'], sglang: ['poolside_v1'] },
    hasTemplate: false,
    source: `${ENGINES} read it by poolside_v1`,
  },
  {
    name: /kimi-k2\.[5-7]/,
    formats: ['kimi-k2'],
    title: 'Kimi K2.5 to K2.7',
    lacks: 'Its prompt opens a thought; that is not covered.',
    hasTemplate: false,
    source: 'docs/deploy_guidance.md of Kimi-K2.6',
  },
  {
    name: /magistral-.*(?:2506|2507)/,
    formats: ['mistral-v11'],
    title: 'Magistral',
    lacks: NOT_CHECKED,
    hasTemplate: false,
    source: COMMON,
  },
  {
    name: /magistral-.*2509|devstral-.*2507|devstral-(?:small-|medium-)?2(?:-|$)/,
    formats: ['mistral-v13'],
    hasTemplate: false,
    source: COMMON,
  },
  {
    name: /magistral|devstral/,
    formats: ['mistral-v11', 'mistral-v13'],
    title: 'Magistral, Devstral',
    lacks:
      'The version in its tekken.json decides which of the two, and the system prompt of Magistral is not covered.',
    hasTemplate: false,
    source: COMMON,
  },
  {
    name: /granite-?4(?!\.2)/,
    formats: ['nous'],
    title: 'Granite 4, others',
    lacks: NOT_CHECKED,
    servedAs: { vllm: ['granite4'] },
    hasTemplate: false,
    source: VLLM_DOCS,
  },
  {
    name: /hermes|qwq/,
    formats: ['nous'],
    title: 'Hermes 2 Pro and later, QwQ',
    lacks: OWN_PROMPT,
    hasTemplate: true,
    source: `${TEMPLATES}; ${VLLM_DOCS}`,
  },
  {
    name: /mimo-?vl|bielik/,
    formats: ['nous'],
    title: 'MiMo-VL, Bielik 3',
    lacks: OWN_PROMPT,
    hasTemplate: true,
    source: TEMPLATES,
  },
  {
    name: /smollm-?3/,
    formats: ['nous'],
    title: 'SmolLM3',
    lacks: 'Its prompt shows no earlier calls; that is not covered.',
    hasTemplate: true,
    source: 'the model card of SmolLM3 serves it by hermes of vLLM',
  },
  {
    name: /exaone-?4/,
    formats: ['nous'],
    title: 'EXAONE 4',
    lacks: NOT_CHECKED,
    hasTemplate: false,
    source: 'the model card of EXAONE 4.0 serves it by hermes of vLLM',
  },
  {
    name: /trinity/,
    formats: ['nous'],
    title: 'Trinity',
    lacks: NOT_CHECKED,
    servedAs: { sglang: ['trinity'] },
    hasTemplate: false,
    source: 'SGLang 0.5.23 reads it by trinity, the parser of qwen25',
  },
  { name: /qwen-?3(?:\.5|-5(?:-moe)?$)/, formats: ['qwen3.5'], hasTemplate: true, source: README },
  { name: /qwen-?3-coder/, formats: ['qwen3-coder'], hasTemplate: true, source: README },
  { name: /qwen-?(?:2\.5|3(?![.\d]))/, formats: ['nous'], hasTemplate: true, source: README },
  {
    name: /qwen-?(?:1\.5|2)(?![.\d])/,
    formats: ['qwen'],
    hasTemplate: false,
    source: 'Qwen-Agent at 31a4d36 prompts them so',
  },
  {
    name: /glm-?5(?![.\d])/,
    formats: ['glm-4.7'],
    title: 'GLM-5',
    hasTemplate: true,
    source: 'its chat template is that of GLM-4.7-Flash, sha256 d63ad536…81375 (Xinference, 7ecec16)',
  },
  {
    name: /glm-?5/,
    formats: ['glm-4.7'],
    title: 'GLM-5.1, GLM-5.2',
    lacks: NOT_CHECKED,
    hasTemplate: true,
    source: TEMPLATES,
  },
  { name: /glm-?4\.7/, formats: ['glm-4.7'], hasTemplate: true, source: README },
  { name: /glm-?4\.[56]/, formats: ['glm-4.5'], hasTemplate: true, source: README },
  { name: /kimi-k2-thinking/, formats: ['kimi-k2-thinking'], hasTemplate: true, source: README },
  { name: /kimi-k2(?![.\d])/, formats: ['kimi-k2'], hasTemplate: true, source: README },
  { name: /kimi-k3/, formats: ['kimi-k3'], hasTemplate: true, source: README },
  { name: /deepseek-v?4\.1/, formats: ['deepseek-v4.1'], hasTemplate: false, source: README },
  { name: /deepseek-v?4/, formats: ['deepseek-v4'], hasTemplate: true, source: README },
  {
    name: /deepseek-v?3\.?2-exp/,
    formats: ['deepseek-v3.1'],
    title: 'DeepSeek V3.2-Exp',
    lacks: NOT_CHECKED,
    hasTemplate: false,
    source: SGLANG_DOCS,
  },
  { name: /deepseek-v?3\.?2/, formats: ['deepseek-v3.2'], hasTemplate: true, source: README },
  { name: /deepseek-v?3\.1/, formats: ['deepseek-v3.1'], hasTemplate: true, source: README },
  {
    name: /deepseek-r1-0528-qwen3/,
    formats: ['deepseek-v3'],
    title: 'DeepSeek-R1-0528-Qwen3-8B',
    lacks: NOT_CHECKED,
    hasTemplate: false,
    source: 'raullenchai/Rapid-MLX#795',
  },
  { name: /deepseek-r1(?!-distill)/, formats: ['deepseek-r1'], hasTemplate: true, source: README },
  { name: /deepseek-v?3(?![.\d])/, formats: ['deepseek-v3'], hasTemplate: true, source: README },
  { name: /mistral-small-(?:3\.[12]|.*250[36])/, formats: ['mistral-v11'], hasTemplate: true, source: COMMON },
  {
    name: /ministral-3|mistral-small-4|mistral-medium-3\.5/,
    formats: ['mistral-v13'],
    hasTemplate: true,
    source: COMMON,
  },
  {
    name: /mistral-nemo|mixtral-8x22b|ministral-8b|pixtral|mistral-large|mistral-small-2409|codestral|mistral-7b-instruct-v0\.3/,
    formats: ['mistral-v3'],
    hasTemplate: true,
    source: COMMON,
  },
  { name: /gpt-oss/, formats: ['harmony'], hasTemplate: true, source: README },
  { name: /function-?gemma/, formats: ['functiongemma'], hasTemplate: true, source: `${README}; ${VLLM_DOCS}` },
  { name: /gemma-?4/, formats: ['gemma-4'], hasTemplate: true, source: README },
  { name: /muse-?glimmer/, formats: ['muse-glimmer'], hasTemplate: true, source: README },
  { name: /nemotron-nano-(?:\w{1,4}-)?v2/, formats: ['nemotron-v2'], hasTemplate: true, source: README },
  { name: /minicpm-?5/, formats: ['minicpm5'], hasTemplate: true, source: README },
  { name: /minimax-?m3/, formats: ['minimax-m3'], hasTemplate: true, source: README },
  {
    name: /minimax-?m2\.\d/,
    formats: ['minimax-m2'],
    title: 'MiniMax M2.1, M2.5',
    lacks: NOT_CHECKED,
    hasTemplate: false,
    source: 'docs/tool_calling_guide.md of MiniMax-M2.5',
  },
  { name: /minimax-?m2/, formats: ['minimax-m2'], hasTemplate: true, source: README },
  { name: /seed-oss/, formats: ['seed-oss'], hasTemplate: true, source: README },
  { name: /toolace/, formats: ['pythonic'], hasTemplate: false, source: VLLM_DOCS },
  { name: /llama-?4/, formats: ['llama-4'], hasTemplate: true, source: `${README}; ${VLLM_DOCS}` },
  { name: /llama-?3\.[123]/, formats: ['llama3-json'], hasTemplate: true, source: `${README}; ${VLLM_DOCS}` },
  { name: /olmo-?3/, formats: ['olmo-3'], hasTemplate: true, source: `${README}; ${VLLM_DOCS}` },
  { name: /lfm-?2\.5/, formats: ['lfm2.5'], hasTemplate: true, source: README },
  { name: /lfm-?2/, formats: ['lfm2'], hasTemplate: true, source: README },
  { name: /granite-?3/, formats: ['granite-3'], hasTemplate: true, source: `${README}; ${VLLM_DOCS}` },
  { name: /phi-?4-(?:mini|multimodal)/, formats: ['phi-4-mini'], hasTemplate: true, source: README },
  { name: /north-mini/, formats: ['command4'], hasTemplate: true, source: README },
  {
    name: /command-a-plus/,
    formats: ['command4'],
    title: 'Command A+',
    lacks: NOT_CHECKED,
    hasTemplate: false,
    source: 'the model card of Command A+ serves it by cohere_command4',
  },
  { name: /command-r7b/, formats: ['command-r7b'], hasTemplate: true, source: README },
  {
    name: /command-a-reasoning/,
    formats: ['command-r7b'],
    title: 'Command A Reasoning',
    lacks: NOT_CHECKED,
    servedAs: { vllm: ['cohere_command3'] },
    hasTemplate: false,
    source: VLLM_DOCS,
  },
  {
    name: /command-a(?:-|$)/,
    formats: ['command-r7b', 'command4'],
    title: 'Command A',
    lacks: 'The vocabulary decides which of the two: command4 if it has <|START_TEXT|>.',
    hasTemplate: false,
    source: 'vLLM 0.33.0 has cohere_command3 and cohere_command4 for the family',
  },
]
