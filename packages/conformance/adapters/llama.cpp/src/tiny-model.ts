import { ggufBytes } from './gguf.ts'
import type { GgufTensor } from './gguf.ts'
import { CLASSES, transitions } from './markov-chain.ts'
import type { Vocabulary } from './vocabulary.ts'

/**
 * A model file without trained weights: a Markov chain written into a qwen3 of one layer. Every block is zero and every
 * embedding is a one-hot class of its token, so that the next token depends on the last one alone.
 *
 * @param preTokenizer how llama.cpp cuts texts into words, such as `qwen2`
 */
export function tinyModel(
  vocabulary: Vocabulary,
  { template, name, preTokenizer }: { readonly template: string; readonly name: string; readonly preTokenizer: string },
): Uint8Array {
  const { texts, kinds, merges, endOfTurn, padding, beginning, end } = vocabulary
  const metadata = {
    'general.architecture': { type: 'text', value: 'qwen3' },
    'general.name': { type: 'text', value: name },
    'qwen3.context_length': { type: 'u32', value: 32_768 },
    'qwen3.embedding_length': { type: 'u32', value: CLASSES },
    'qwen3.block_count': { type: 'u32', value: 1 },
    'qwen3.feed_forward_length': { type: 'u32', value: CLASSES },
    'qwen3.attention.head_count': { type: 'u32', value: 1 },
    'qwen3.attention.head_count_kv': { type: 'u32', value: 1 },
    'qwen3.attention.key_length': { type: 'u32', value: CLASSES },
    'qwen3.attention.value_length': { type: 'u32', value: CLASSES },
    'qwen3.attention.layer_norm_rms_epsilon': { type: 'f32', value: 1e-6 },
    'qwen3.rope.freq_base': { type: 'f32', value: 1e6 },
    'tokenizer.ggml.model': { type: 'text', value: 'gpt2' },
    'tokenizer.ggml.pre': { type: 'text', value: preTokenizer },
    'tokenizer.ggml.tokens': { type: 'texts', value: texts },
    'tokenizer.ggml.token_type': { type: 'i32s', value: kinds.map((kind) => KIND[kind]) },
    'tokenizer.ggml.merges': { type: 'texts', value: merges },
    'tokenizer.ggml.eos_token_id': { type: 'u32', value: idOf(texts, end) },
    'tokenizer.ggml.eot_token_id': { type: 'u32', value: idOf(texts, endOfTurn) },
    'tokenizer.ggml.padding_token_id': { type: 'u32', value: idOf(texts, padding) },
    'tokenizer.ggml.bos_token_id': { type: 'u32', value: idOf(texts, beginning) },
    'tokenizer.ggml.add_bos_token': { type: 'bool', value: false },
    'tokenizer.chat_template': { type: 'text', value: template },
  } as const
  return ggufBytes({ metadata, tensors: tensorsOf(vocabulary) })
}

/** The numbers by which GGUF knows kinds of tokens. */
const KIND = { ordinary: 1, control: 3, added: 4 } as const

function tensorsOf(vocabulary: Vocabulary): readonly GgufTensor[] {
  const { classes, logits } = transitions(vocabulary)
  const rows = vocabulary.texts.length
  const embeddings = new Float32Array(rows * CLASSES)
  for (const [id, own] of classes.entries()) embeddings[id * CLASSES + own] = 1
  // What a one-hot vector of this length becomes in the norm before the output.
  const outputs = logits.map((logit) => logit / Math.sqrt(CLASSES))
  const square = { rows: CLASSES, columns: CLASSES, storage: 'f32' } as const
  return [
    { name: 'token_embd.weight', rows, columns: CLASSES, values: embeddings, storage: 'q8' },
    { name: 'output.weight', rows, columns: CLASSES, values: outputs, storage: 'q8' },
    vector('output_norm', 1),
    ...NORMS.map((name) => vector(`blk.0.${name}`, 1)),
    ...ZEROS.map((name) => ({ name: `blk.0.${name}.weight`, values: new Float32Array(CLASSES * CLASSES), ...square })),
  ]
}

const NORMS = ['attn_norm', 'attn_q_norm', 'attn_k_norm', 'ffn_norm']
const ZEROS = ['attn_q', 'attn_k', 'attn_v', 'attn_output', 'ffn_gate', 'ffn_up', 'ffn_down']

function vector(name: string, value: number): GgufTensor {
  return {
    name: `${name}.weight`,
    rows: 1,
    columns: CLASSES,
    values: new Float32Array(CLASSES).fill(value),
    storage: 'f32',
  }
}

function idOf(texts: readonly string[], text: string): number {
  const id = texts.lastIndexOf(text)
  if (id === -1)
    throw new Error(`The vocabulary has no token ${JSON.stringify(text)}, which ends a turn or fills gaps.`)
  return id
}
