import { describe, expect, it } from 'vitest'
import { FORMATS, formatNamed } from '../../src/formats/index.ts'
import { KNOWN_MODELS } from '../../src/formats/known-models.ts'
import { guessModel, modelAliases, parserNames, tekkenFormats } from '../../src/identify/guess-model.ts'

describe('a name', () => {
  it.each([
    ['Qwen/Qwen3-Coder-30B-A3B-Instruct', ['qwen3-coder']],
    ['Qwen/Qwen3-8B', ['nous']],
    ['Qwen/Qwen2.5-7B-Instruct', ['nous']],
    ['Qwen/Qwen3.5-35B-A3B', ['qwen3.5']],
    ['NousResearch/Hermes-3-Llama-3.1-8B', ['nous']],
    ['zai-org/GLM-4.6', ['glm-4.5']],
    ['zai-org/GLM-4.7-Flash', ['glm-4.7']],
    ['moonshotai/Kimi-K2-Thinking', ['kimi-k2-thinking']],
    ['moonshotai/Kimi-K2-Instruct-0905', ['kimi-k2']],
    ['deepseek-ai/DeepSeek-V3.2-Exp', ['deepseek-v3.1']],
    ['deepseek-ai/DeepSeek-V3.2', ['deepseek-v3.2']],
    ['deepseek-ai/DeepSeek-V3-0324', ['deepseek-v3']],
    ['mistralai/Devstral-Small-2507', ['mistral-v13']],
    ['mistralai/Mistral-Nemo-Instruct-2407', ['mistral-v3']],
    ['openai/gpt-oss-120b', ['harmony']],
    ['gpt_oss', ['harmony']],
    ['meta-llama/Llama-3.3-70B-Instruct', ['llama3-json']],
    ['LiquidAI/LFM2.5-1.2B', ['lfm2.5']],
    ['tencent/Hy3', ['hy-v3']],
    ['tencent/Hy3-FP8', ['hy-v3']],
    ['openbmb/MiniCPM5-1B', ['minicpm5']],
    ['Muse-Glimmer', ['muse-glimmer']],
    ['MiniMaxAI/MiniMax-M3', ['minimax-m3']],
    ['CohereLabs/command-a-03-2025', ['command-r7b', 'command4']],
    ['CohereLabs/c4ai-command-r7b-12-2024', ['command-r7b']],
    ['North-Mini-Code', ['command4']],
    ['tencent/Hunyuan-A13B-Instruct', ['hunyuan-a13b']],
    ['ai-sage/GigaChat3.1-10B-A1.8B', ['gigachat3']],
    ['swiss-ai/Apertus-8B-Instruct-2509', ['apertus']],
    ['CohereLabs/command-a-reasoning-08-2025', ['command-r7b']],
    ['CohereLabs/command-a-plus-05-2026-w4a4', ['command4']],
    ['ServiceNow-AI/Apriel-1.6-15b-Thinker', ['hunyuan-a13b']],
    ['poolside/Laguna-XS-2.1', ['glm-4.7']],
    ['ai21labs/AI21-Jamba-1.5-Mini', ['hunyuan-a13b']],
    ['HuggingFaceTB/SmolLM3-3B', ['nous']],
    ['LGAI-EXAONE/EXAONE-4.0-32B', ['nous']],
    ['ibm-granite/granite-4.1-8b', ['nous']],
    ['inclusionAI/Ring-2.6-1T', ['glm-4.5']],
    ['NousResearch/Hermes-4-70B', ['nous']],
    ['nvidia/NVIDIA-Nemotron-Nano-9B-v2', ['nemotron-v2']],
  ])('says which format its models speak: %s', (name, formats) => {
    expect(guessModel(name)?.formats).toEqual(formats)
  })

  it.each([
    'gpt-5',
    'my-model',
    '',
    'deepseek-ai/DeepSeek-R1-Distill-Llama-8B',
    'MiMo-7B',
    'Apriel-5B',
    'Nemotron-Nano-9B',
  ])('may say nothing: "%s"', (name) => {
    expect(guessModel(name)).toBeNull()
  })

  it.each([
    ...['tencent/Hy-V4', 'tencent/Hy3-preview', 'Inkling-1', 'ERNIE-4.5-21B', 'stepfun-ai/Step-3'],
    ...['internlm/Intern-S1-mini', 'internlm/internlm2_5-7b-chat'],
    ...['ai-sage/GigaChat3.5', 'MiniMaxAI/MiniMax-M1-80k', 'upstage/Solar-Open-100B', 'c4ai-command-r-plus'],
  ])('may be known, and not be read: %s', (name) => {
    expect(guessModel(name)?.formats).toEqual([])
    expect(guessModel(name)?.title).not.toBeUndefined()
  })

  it.each([
    ['Qwen3.6-35B-A3B', 'qwen3.5@qwen3.6'],
    ['Qwen/Qwen3.8-27B', 'qwen3.5@qwen3.8'],
    ['Qwen3.8-Max', 'qwen3.5@qwen3.8-max'],
    ['nvidia/NVIDIA-Nemotron-3-Nano-30B', 'qwen3.5@nemotron-3'],
    ['NVIDIA-Nemotron-3-Super-120B', 'qwen3.5@nemotron-3-super'],
    ['nvidia/Nemotron-3-Ultra', 'qwen3.5@nemotron-3-ultra'],
    ['stepfun-ai/Step-3.5-Flash', 'qwen3.5@step-3.5'],
    ['inclusionAI/Ling-3.0-flash', 'glm-4.7@ling-3'],
    ['poolside/Laguna-XS.2', 'glm-4.7@laguna-xs.2'],
    ['poolside/Laguna-XS-2.1', 'glm-4.7@laguna-xs-2.1'],
    ['poolside/Laguna-S-2.1', 'glm-4.7@laguna-s-2.1'],
    ['ibm-granite/granite-4.0-h-small', 'nous@granite-4.0'],
    ['granite-4.1-8b', 'nous@granite-4.1'],
    ['RekaAI/reka-edge', 'nous@reka-edge'],
  ])('of a version of a format leads to its prompt, and nothing is left uncovered: %s', (name, id) => {
    const { formats, version, lacks } = guessModel(name) ?? {}

    expect(`${formats?.join()}@${version}`).toBe(id)
    expect(lacks).toBeUndefined()
    expect(formatNamed(id)?.prompt).toBeTypeOf('function')
  })

  it.each([
    ['Qwen/Qwen3-Coder-Next', 'qwen3.5'],
    ['Nemotron-3.5', 'qwen3.5'],
    ['ibm-granite/granite-4.2-small', 'qwen3.5'],
    ['Step-3.7', 'qwen3.5'],
    ['MiMo-V2.6', 'qwen3.5'],
    ['GLM-5.3', 'glm-4.7'],
    ['Kimi-K2.5', 'kimi-k2'],
    ['ai-sage/GigaChat3-10B-A1.8B', 'gigachat3'],
    ['Kimi-K2.7-Code', 'kimi-k2'],
    ['mistralai/Magistral-Medium', 'mistral-v11'],
  ])('of a model that speaks the format of others says what is not covered: %s', (name, format) => {
    expect(guessModel(name)?.formats).toContain(format)
    expect(guessModel(name)?.lacks).toMatch(/\.$/)
  })

  it('of any length costs no more than one of 500 letters', () => {
    expect(guessModel('-'.repeat(5_000_000))).toBeNull()
    expect(guessModel('magistral-'.repeat(500_000))?.formats).toEqual(['mistral-v11', 'mistral-v13'])
  })
})

describe('the table', () => {
  it('names formats that are there', () => {
    const named = KNOWN_MODELS.flatMap(({ formats }) => formats)

    expect(named.filter((id) => formatNamed(id) === null)).toEqual([])
  })

  it('names versions that their formats have', () => {
    const missing = KNOWN_MODELS.filter(
      ({ formats, version }) =>
        version !== undefined && !formats.every((id) => formatNamed(id)?.versions.includes(version) === true),
    )

    expect(missing.map(({ name }) => name.source)).toEqual([])
  })

  it('has a source for every name', () => {
    expect(KNOWN_MODELS.filter(({ source }) => source.length < 10).map(({ name }) => name.source)).toEqual([])
  })

  it('has the parsers of every format', () => {
    expect(FORMATS.filter(({ servedAs }) => servedAs === undefined).map(({ id }) => id)).toEqual([...['qwen', 'react']])
    expect(parserNames('qwen')).toEqual({ vllm: [], sglang: [] })
    expect(parserNames('qwen3-coder')?.vllm[0]).toBe('qwen3_coder')
    expect(parserNames('constructor')).toBeNull()
  })

  it('lists models that speak the format of others, and those that cannot be read', () => {
    const titles = modelAliases().map(({ title }) => title)

    expect(titles).toContain('Qwen3.6')
    for (const title of ['hy-v4', 'Hy3-preview', 'inkling'])
      expect(modelAliases().find((each) => each.title === title)?.formats).toEqual([])
  })

  it('knows the versions of tekken.json', () => {
    expect(tekkenFormats('v13')).toEqual(['mistral-v13'])
    expect(tekkenFormats('toString')).toBeNull()
  })
})
