import type { Format } from '../format/format.ts'

/** Each built-in format by its id, with the import that loads it and nothing of the others: the ids and the order of `FORMATS`. */
const LOADERS: { readonly [id: string]: () => Promise<Format> } = {
  nous: async () => (await import('./nous/index.ts')).nous,
  qwen: async () => (await import('./qwen/index.ts')).qwen,
  react: async () => (await import('./react/index.ts')).react,
  'qwen3-coder': async () => (await import('./qwen3-coder/index.ts')).qwen3Coder,
  'qwen3.5': async () => (await import('./qwen3.5/index.ts')).qwen35,
  'glm-4.5': async () => (await import('./glm/index.ts')).glm45,
  'glm-4.7': async () => (await import('./glm/index.ts')).glm47,
  'minimax-m2': async () => (await import('./minimax-m2/index.ts')).minimaxM2,
  'minimax-m3': async () => (await import('./minimax-m3/index.ts')).minimaxM3,
  minicpm5: async () => (await import('./minicpm5/index.ts')).minicpm5,
  'seed-oss': async () => (await import('./seed-oss/index.ts')).seedOss,
  'mistral-v3': async () => (await import('./mistral/index.ts')).mistralV3,
  'mistral-v11': async () => (await import('./mistral/index.ts')).mistralV11,
  'mistral-v13': async () => (await import('./mistral/index.ts')).mistralV13,
  'kimi-k2': async () => (await import('./kimi-k2/index.ts')).kimiK2,
  'kimi-k2-thinking': async () => (await import('./kimi-k2/index.ts')).kimiK2Thinking,
  'deepseek-v3': async () => (await import('./deepseek-v3/index.ts')).deepseekV3,
  'deepseek-r1': async () => (await import('./deepseek-v3/index.ts')).deepseekR1,
  'deepseek-v3.1': async () => (await import('./deepseek-v3/index.ts')).deepseekV31,
  'gemma-4': async () => (await import('./gemma/index.ts')).gemma4,
  functiongemma: async () => (await import('./gemma/index.ts')).functionGemma,
  'llama3-json': async () => (await import('./llama3-json/index.ts')).llama3Json,
  'granite-3': async () => (await import('./granite-3/index.ts')).granite3,
  'phi-4-mini': async () => (await import('./phi-4-mini/index.ts')).phi4Mini,
  'command-r7b': async () => (await import('./command-r7b/index.ts')).commandR7b,
  command4: async () => (await import('./command4/index.ts')).command4,
  'deepseek-v3.2': async () => (await import('./deepseek-v3.2/index.ts')).deepseekV32,
  'deepseek-v4': async () => (await import('./deepseek-v3.2/index.ts')).deepseekV4,
  'deepseek-v4.1': async () => (await import('./deepseek-v3.2/index.ts')).deepseekV41,
  'kimi-k3': async () => (await import('./kimi-k3/index.ts')).kimiK3,
  pythonic: async () => (await import('./pythonic/index.ts')).pythonic,
  'llama-4': async () => (await import('./pythonic/index.ts')).llama4,
  'olmo-3': async () => (await import('./pythonic/index.ts')).olmo3,
  lfm2: async () => (await import('./pythonic/index.ts')).lfm2,
  'lfm2.5': async () => (await import('./pythonic/index.ts')).lfm25,
  harmony: async () => (await import('./harmony/index.ts')).harmony,
  'muse-glimmer': async () => (await import('./muse-glimmer/index.ts')).museGlimmer,
  'hy-v3': async () => (await import('./hy-v3/index.ts')).hyV3,
  gigachat3: async () => (await import('./gigachat3/index.ts')).gigachat3,
  'hunyuan-a13b': async () => (await import('./hunyuan-a13b/index.ts')).hunyuanA13b,
  apertus: async () => (await import('./apertus/index.ts')).apertus,
  'nemotron-v2': async () => (await import('./nemotron-v2/index.ts')).nemotronV2,
}

/** The ids of the built-in formats. */
export const FORMAT_IDS: readonly string[] = Object.keys(LOADERS)

/**
 * The format of that id, or of `format@version` in that version, as `formatNamed` gives it; null for an unknown one. No other format is
 * loaded.
 */
export async function loadFormat(name: string): Promise<Format | null> {
  const [id = '', ...version] = name.split('@')
  const load = Object.hasOwn(LOADERS, id) ? LOADERS[id] : undefined
  if (load === undefined) return null
  const format = await load()
  return version.length === 0 ? format : (format.inVersion?.(version.join('@')) ?? null)
}
