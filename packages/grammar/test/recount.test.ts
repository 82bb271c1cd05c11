import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { acceptText, compileGrammar, triggerSearch } from '../src/index.ts'

/*
 * What chat templates write, against the tags of XGrammar 0.2.5 and vLLM 432a38c: the counts of a specification that was measured with the
 * real engines. They come out equal by this rule: `auto` takes every text; `required` those with a call first; `named`, whose tool is the
 * first one, the two texts with one plain call of it; equal texts under one tag count once.
 */
const FOLDER = new URL('../../../../shared/vectors/grammars/', import.meta.url)
const HAS_VECTORS = existsSync(FOLDER)

interface Tag {
  readonly from: string
  readonly model?: string
  readonly kind: string
  readonly tools: string
  readonly choice: string
  readonly reasoning: boolean
  readonly grammar: unknown
  readonly template?: string
  readonly parallel?: boolean
  readonly lazy?: boolean
  readonly triggers?: unknown
  readonly before?: string
}
interface Written {
  readonly template: string
  readonly name: string
  readonly tools: string
  readonly reasoning: boolean
  readonly text: string
}

function linesOf(name: string): readonly unknown[] {
  const text = readFileSync(new URL(name, FOLDER), 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown)
}

const [PLAIN, THOUGHT] = [[false], [true]]
const BOTH = [false, true]

/** Engine, model, templates with the modes that their prompts open, and accepted of all. */
const COUNTS = [
  ['xgrammar', 'qwen_3', { 'Qwen-Qwen3-0.6B': BOTH }, '40 of 40'],
  ['xgrammar', 'kimi', { 'moonshotai-Kimi-K2': PLAIN }, '20 of 20'],
  ['xgrammar', 'kimi_k3', { 'Kimi-K3': THOUGHT }, '20 of 20'],
  ['xgrammar', 'deepseek_v3_1', { 'deepseek-ai-DeepSeek-V3.1': PLAIN }, '20 of 20'],
  ['xgrammar', 'deepseek_v3_2', { 'deepseek-ai-DeepSeek-V3.2': THOUGHT }, '20 of 20'],
  ['xgrammar', 'deepseek_v4', { 'deepseek-ai-DeepSeek-V4': BOTH }, '40 of 40'],
  ['xgrammar', 'minimax', { 'MiniMax-M2': THOUGHT }, '20 of 20'],
  ['xgrammar', 'glm_4_7', { 'GLM-4.7-Flash': BOTH }, '40 of 40'],
  ['xgrammar', 'llama', { 'meta-llama-Llama-3.1-8B-Instruct': PLAIN }, '15 of 15'],
  ['xgrammar', 'harmony', { 'openai-gpt-oss-120b': BOTH }, '30 of 31'],
  ['xgrammar', 'qwen_3_coder', { 'Qwen3-Coder': PLAIN }, '15 of 20'],
  ['xgrammar', 'qwen_3_5', { 'Qwen3.5-4B': BOTH, 'NVIDIA-Nemotron-3-Nano-30B-A3B-BF16': BOTH }, '37 of 79'],
  ['vllm', 'deepseek_v4', { 'deepseek-ai-DeepSeek-V4': BOTH }, '14 of 18'],
  ['vllm', 'qwen_3_5', { 'Qwen3-Coder': BOTH }, '4 of 7'],
] as const

describe.skipIf(!HAS_VECTORS)('what templates write, counted again (needs ../shared)', () => {
  it.each(COUNTS)('%s %s', (engine, model, templates, wanted) => {
    const modes = new Map<string, readonly boolean[]>(Object.entries(templates))
    const written = (linesOf('written.jsonl') as readonly Written[]).filter((each) =>
      modes.get(each.template)?.includes(each.reasoning),
    )
    const seen = new Map<string, boolean>()
    for (const tag of (linesOf('grammars.jsonl') as readonly Tag[]).filter(
      (each) => each.from.startsWith(engine) && each.model === model,
    )) {
      const compiled = compileGrammar('structural_tag', tag.grammar)
      if (!compiled.ok) throw new Error(compiled.error)
      for (const each of written.filter((one) => isFor(one, tag))) {
        const text = withoutEnd(each.text)
        const key = JSON.stringify([tag.choice, tag.tools, tag.reasoning, text])
        if (!seen.has(key)) seen.set(key, acceptText(compiled.grammar, text).accepted)
      }
    }

    expect(`${[...seen.values()].filter(Boolean).length} of ${seen.size}`).toBe(wanted)
  })
})

/** Templates, with accepted of all by the grammar that llama.cpp v0.5.0 makes of them. */
const LLAMA_COUNTS = [
  ['Qwen-Qwen3-0.6B', BOTH, '44 of 44'],
  ['deepseek-ai-DeepSeek-V3.1', PLAIN, '26 of 26'],
  ['deepseek-ai-DeepSeek-V3.2', THOUGHT, '18 of 18'],
  ['moonshotai-Kimi-K2', PLAIN, '26 of 26'],
  ['meta-llama-Llama-3.1-8B-Instruct', PLAIN, '10 of 10'],
  ['unsloth-mistral-Devstral-Small-2507', PLAIN, '26 of 26'],
  ['Qwen3-Coder', PLAIN, '18 of 26'],
  ['Qwen3.5-4B', BOTH, '36 of 44'],
  ['ByteDance-Seed-OSS', BOTH, '36 of 44'],
  ['GLM-4.7-Flash', BOTH, '40 of 44'],
  ['GLM-4.6', BOTH, '40 of 44'],
  ['deepseek-ai-DeepSeek-V4', BOTH, '40 of 44'],
  ['MiniMax-M2', THOUGHT, '14 of 18'],
  ['Kimi-K3', THOUGHT, '18 of 18'],
  ['CohereForAI-c4ai-command-r7b-12-2024-tool_use', BOTH, '40 of 40'],
  // The specification counts one text less or more here: 43 of 43, 35 of 35, 25 of 25, 16 of 17. Its files do not say which.
  ['Kimi-K2-Thinking', BOTH, '44 of 44'],
  ['openai-gpt-oss-120b', BOTH, '34 of 34'],
  ['Mistral-Small-3.2-24B-Instruct-2506', PLAIN, '24 of 24'],
  ['google-gemma-4-31B-it', THOUGHT, '16 of 18'],
  // Of Nemotron its files have no grammar for an open thought, which 35 of 43 includes.
  ['NVIDIA-Nemotron-3-Nano-30B-A3B-BF16', PLAIN, '18 of 26'],
] as const

// Here the tool sets `types` and `open` are asked with the texts of both modes, and a text without a call does not count as refused
// under `required`.
describe.skipIf(!HAS_VECTORS)('what templates write, counted again under llama.cpp (needs ../shared)', () => {
  it.each(LLAMA_COUNTS)('%s', (template, modes, wanted) => {
    const written = (linesOf('written.jsonl') as readonly Written[]).filter((each) => each.template === template)
    const tags = (linesOf('grammars.jsonl') as readonly Tag[]).filter(
      (each) => each.template === template && each.parallel === true && modes.includes(each.reasoning),
    )
    const seen = new Map<string, boolean>()
    for (const tag of tags) {
      const compiled = compileGrammar('gbnf', tag.grammar)
      if (!compiled.ok) throw new Error(compiled.error)
      for (const each of written) {
        if (each.tools !== tag.tools || (tag.tools === 'weather' && each.reasoning !== tag.reasoning)) continue
        const text = withoutEnd(each.text, GBNF_ENDS)
        const key = JSON.stringify([tag.choice, tag.tools, tag.reasoning, each.reasoning, text])
        if (seen.has(key)) continue
        const start = tag.lazy === true ? triggerSearch(tag.triggers)(text) : 0
        const before = tag.lazy === true ? '' : (tag.before ?? '')
        const verdict = start === null ? null : acceptText(compiled.grammar, before + text.slice(start))
        seen.set(key, verdict === null || verdict.accepted || each.name === 'text-only')
      }
    }

    expect(`${[...seen.values()].filter(Boolean).length} of ${seen.size}`).toBe(wanted)
  })
})

function isFor({ name, tools, reasoning }: Written, tag: Tag): boolean {
  if (tools !== tag.tools || reasoning !== tag.reasoning) return false
  if (tag.choice === 'auto') return true
  return tag.choice === 'named' ? name === 'required' || name === 'all' : !name.startsWith('text-')
}

const ENDS = [
  '<|im_end|>',
  '<|eot_id|>',
  '<｜end▁of▁sentence｜>',
  '[e~[',
  '<|user|>',
  '<|end_of_msg|>',
  '</s>',
  '<seed:eos>',
]

const GBNF_ENDS = [...ENDS, '<|call|>', '<|end|>', '<turn|>', '<|tool_response>']

/** Without the token that ends the turn, which engines do not feed; in XGrammar's tags those of harmony are part of the tag. */
function withoutEnd(text: string, ends: readonly string[] = ENDS): string {
  const turnEnd = text.indexOf('<|END_OF_TURN_TOKEN|>')
  const trimmed = (turnEnd === -1 ? text : text.slice(0, turnEnd)).trimEnd()
  const end = ends.find((each) => trimmed.endsWith(each))
  if (end !== undefined) return trimmed.slice(0, -end.length)
  return turnEnd === -1 ? text : trimmed
}
