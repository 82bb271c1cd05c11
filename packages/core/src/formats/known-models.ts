/*
 * Which formats models speak, by their names: from the makers' model cards and the READMEs of the formats. The order decides, also between
 * families, so this is one list and not a member of each format.
 */

import type { ServedAs } from '../format/format.ts'

export interface KnownModel {
  /** What a name of them holds, in lower case, with `-` for every blank and underscore. */
  readonly name: RegExp
  /** Ids of formats; several where the name does not decide, none where callspec cannot read what the model writes. */
  readonly formats: readonly string[]
  /** For people; of models that speak the format of others, or one that callspec cannot read. */
  readonly title?: string
  /** What of its prompt is not covered, in one sentence. */
  readonly lacks?: string
  /** Parsers that engines have for these models, where they are not those of the format. */
  readonly servedAs?: ServedAs
  /** What says so, for entries newer than the others: a template, or an engine with the value of its `--tool-call-parser`. */
  readonly source?: string
}

const NOT_CHECKED = 'Replies only: its prompt was not checked.'
const ENGINES = 'vLLM 0.33.0 and SGLang 0.5.23'
const JSON_WORDS = 'Its prompt prints true and null where that of Qwen3.5 prints True and None'

/** The first whose name fits counts: special names come before general ones. */
export const KNOWN_MODELS: readonly KnownModel[] = [
  { name: /(?:^|[^a-z0-9])hy-?v?4|hunyuan-?(?:v|hy)?4/, formats: [], title: 'hy-v4' },
  { name: /(?:^|[^a-z0-9])hy-?v?3-preview/, formats: [], title: 'Hy3-preview' },
  { name: /(?:^|[^a-z0-9])hy-?v?3(?![.\d])/, formats: ['hy-v3'] },
  { name: /gigachat-?3\.5/, formats: [], title: 'GigaChat 3.5' },
  { name: /gigachat-?3\.1/, formats: ['gigachat3'] },
  {
    name: /gigachat-?3(?![.\d])/,
    formats: ['gigachat3'],
    title: 'GigaChat 3',
    lacks: 'Its prompt shows a call as a message of its own; that is not covered.',
  },
  { name: /hunyuan-?a13b/, formats: ['hunyuan-a13b'] },
  { name: /apertus/, formats: ['apertus'] },
  { name: /inkling/, formats: [], title: 'inkling', source: `${ENGINES} read it by inkling` },
  { name: /ernie-?4\.5/, formats: [], title: 'ERNIE 4.5', source: 'vLLM 0.33.0 reads it by ernie45' },
  { name: /(?:^|[^a-z0-9])step-?3(?![.\d])/, formats: [], title: 'Step 3', source: `${ENGINES} read it by step3` },
  { name: /longcat/, formats: [], title: 'LongCat', source: 'vLLM 0.33.0 reads it by longcat' },
  { name: /plamo-?3/, formats: [], title: 'PLaMo 3', source: 'vLLM 0.33.0 reads it by plamo3' },
  { name: /(?:^|[^a-z0-9])xlam/, formats: [], title: 'xLAM', source: 'vLLM 0.33.0 reads it by xlam' },
  { name: /(?:^|[^a-z0-9])jamba/, formats: [], title: 'Jamba', source: 'vLLM 0.33.0 reads it by jamba' },
  { name: /coder-next/, formats: ['qwen3.5'], title: 'Qwen3-Coder-Next', lacks: `${JSON_WORDS}, and is not covered.` },
  {
    name: /qwen-?3\.6/,
    formats: ['qwen3.5'],
    title: 'Qwen3.6',
    lacks: `${JSON_WORDS} (35B-A3B), and keeps the thoughts of old turns on request; that is not covered.`,
  },
  {
    name: /qwen-?3\.8/,
    formats: ['qwen3.5'],
    title: 'Qwen3.8',
    lacks: `${JSON_WORDS}, keeps the thoughts of old turns, and adds a sentence about effort; that is not covered.`,
  },
  { name: /nemotron-3(?:\.5)?(?:-|$)/, formats: ['qwen3.5'], title: 'Nemotron 3, 3.5', lacks: NOT_CHECKED },
  { name: /granite-4\.2/, formats: ['qwen3.5'], title: 'Granite 4.2', lacks: NOT_CHECKED },
  {
    name: /(?:^|[^a-z0-9])step-?3\.[57]/,
    formats: ['qwen3.5'],
    title: 'Step 3.5, 3.7',
    lacks: NOT_CHECKED,
    servedAs: { vllm: ['step3p5'], sglang: ['step3p5'] },
  },
  {
    name: /mimo-?v2\.6/,
    formats: ['qwen3.5'],
    title: 'MiMo V2.6',
    lacks: NOT_CHECKED,
    servedAs: { vllm: ['mimo'], sglang: ['mimo'] },
  },
  {
    name: /glm-?5\.3/,
    formats: ['glm-4.7'],
    title: 'GLM-5.3',
    lacks: 'Its prompt always opens a thought and names a reasoning effort; that is not covered.',
  },
  {
    name: /(?:^|[^a-z0-9])ling-?3/,
    formats: ['glm-4.7'],
    title: 'Ling 3',
    lacks: NOT_CHECKED,
    servedAs: { vllm: ['ling3'], sglang: ['ling3'] },
  },
  {
    name: /kimi-k2\.[5-7]/,
    formats: ['kimi-k2'],
    title: 'Kimi K2.5 to K2.7',
    lacks: 'Its prompt opens a thought; that is not covered.',
  },
  { name: /magistral-.*(?:2506|2507)/, formats: ['mistral-v11'], title: 'Magistral', lacks: NOT_CHECKED },
  { name: /magistral-.*2509|devstral-.*2507|devstral-(?:small-|medium-)?2(?:-|$)/, formats: ['mistral-v13'] },
  {
    name: /magistral|devstral/,
    formats: ['mistral-v11', 'mistral-v13'],
    title: 'Magistral, Devstral',
    lacks:
      'The version in its tekken.json decides which of the two, and the system prompt of Magistral is not covered.',
  },
  {
    name: /hermes|granite-4|qwq|mimo-(?:7b|vl)/,
    formats: ['nous'],
    title: 'Hermes, Granite 4, QwQ',
    lacks: NOT_CHECKED,
  },
  { name: /qwen-?3(?:\.5|-5(?:-moe)?$)/, formats: ['qwen3.5'] },
  { name: /qwen-?3-coder/, formats: ['qwen3-coder'] },
  { name: /qwen-?(?:2\.5|3(?![.\d]))/, formats: ['nous'] },
  { name: /qwen-?(?:1\.5|2)(?![.\d])/, formats: ['qwen'] },
  { name: /glm-?5/, formats: ['glm-4.7'], title: 'GLM-5', lacks: NOT_CHECKED },
  { name: /glm-?4\.7/, formats: ['glm-4.7'] },
  { name: /glm-?4\.[56]/, formats: ['glm-4.5'] },
  { name: /kimi-k2-thinking/, formats: ['kimi-k2-thinking'] },
  { name: /kimi-k2(?![.\d])/, formats: ['kimi-k2'] },
  { name: /kimi-k3/, formats: ['kimi-k3'] },
  { name: /deepseek-v?4\.1/, formats: ['deepseek-v4.1'] },
  { name: /deepseek-v?4/, formats: ['deepseek-v4'] },
  { name: /deepseek-v?3\.?2-exp/, formats: ['deepseek-v3.1'], title: 'DeepSeek V3.2-Exp', lacks: NOT_CHECKED },
  { name: /deepseek-v?3\.?2/, formats: ['deepseek-v3.2'] },
  { name: /deepseek-v?3\.1/, formats: ['deepseek-v3.1'] },
  { name: /deepseek-r1-0528-qwen3/, formats: ['deepseek-v3'] },
  { name: /deepseek-r1(?!-distill)/, formats: ['deepseek-r1'] },
  { name: /deepseek-v?3(?![.\d])/, formats: ['deepseek-v3'] },
  { name: /mistral-small-(?:3\.[12]|.*250[36])/, formats: ['mistral-v11'] },
  { name: /ministral-3|mistral-small-4|mistral-medium-3\.5/, formats: ['mistral-v13'] },
  {
    name: /mistral-nemo|mixtral-8x22b|ministral-8b|pixtral|mistral-large|mistral-small-2409|codestral|mistral-7b-instruct-v0\.3/,
    formats: ['mistral-v3'],
  },
  { name: /gpt-oss/, formats: ['harmony'] },
  { name: /function-?gemma/, formats: ['functiongemma'] },
  { name: /gemma-?4/, formats: ['gemma-4'] },
  { name: /muse-?glimmer/, formats: ['muse-glimmer'] },
  { name: /minicpm-?5/, formats: ['minicpm5'] },
  { name: /minimax-?m3/, formats: ['minimax-m3'] },
  { name: /minimax-?m2\.\d/, formats: ['minimax-m2'], title: 'MiniMax M2.1, M2.5', lacks: NOT_CHECKED },
  { name: /minimax-?m2/, formats: ['minimax-m2'] },
  { name: /seed-oss/, formats: ['seed-oss'] },
  { name: /toolace/, formats: ['pythonic'] },
  { name: /llama-?4/, formats: ['llama-4'] },
  { name: /llama-?3\.[123]/, formats: ['llama3-json'] },
  { name: /olmo-?3/, formats: ['olmo-3'] },
  { name: /lfm-?2\.5/, formats: ['lfm2.5'] },
  { name: /lfm-?2/, formats: ['lfm2'] },
  { name: /granite-?3/, formats: ['granite-3'] },
  { name: /phi-?4-(?:mini|multimodal)/, formats: ['phi-4-mini'] },
  { name: /north-mini/, formats: ['command4'], source: 'the template Cohere2MoE names it' },
  { name: /command-r7b/, formats: ['command-r7b'] },
  {
    name: /command-a(?:-|$)/,
    formats: ['command-r7b', 'command4'],
    title: 'Command A',
    lacks: 'The vocabulary decides which of the two: command4 if it has <|START_TEXT|>.',
    source: 'vLLM 0.33.0 has cohere_command3 and cohere_command4 for the family',
  },
]
