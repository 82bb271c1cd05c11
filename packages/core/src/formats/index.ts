import type { Format } from '../format/format.ts'
import { deepseekR1, deepseekV3, deepseekV31 } from './deepseek-v3/index.ts'
import { deepseekV32, deepseekV4, deepseekV41 } from './deepseek-v3.2/index.ts'
import { functionGemma, gemma4 } from './gemma/index.ts'
import { gigachat3 } from './gigachat3/index.ts'
import { glm45, glm47 } from './glm/index.ts'
import { minicpm5 } from './minicpm5/index.ts'
import { museGlimmer } from './muse-glimmer/index.ts'
import { minimaxM3 } from './minimax-m3/index.ts'
import { minimaxM2 } from './minimax-m2/index.ts'
import { apertus } from './apertus/index.ts'
import { command4 } from './command4/index.ts'
import { commandR7b } from './command-r7b/index.ts'
import { granite3 } from './granite-3/index.ts'
import { harmony } from './harmony/index.ts'
import { hunyuanA13b } from './hunyuan-a13b/index.ts'
import { hyV3 } from './hy-v3/index.ts'
import { kimiK2, kimiK2Thinking } from './kimi-k2/index.ts'
import { llama3Json } from './llama3-json/index.ts'
import { mistralV11, mistralV13, mistralV3 } from './mistral/index.ts'
import { kimiK3 } from './kimi-k3/index.ts'
import { nemotronV2 } from './nemotron-v2/index.ts'
import { nous } from './nous/index.ts'
import { phi4Mini } from './phi-4-mini/index.ts'
import { lfm2, lfm25, llama4, olmo3, pythonic } from './pythonic/index.ts'
import { qwen } from './qwen/index.ts'
import { qwen3Coder } from './qwen3-coder/index.ts'
import { qwen35 } from './qwen3.5/index.ts'
import { react } from './react/index.ts'
import { seedOss } from './seed-oss/index.ts'

/** Every format that callspec brings along. A format is one entry here, one in `load-format.ts`, and one folder next to this file. */
export const FORMATS: readonly Format[] = [
  nous,
  qwen,
  react,
  qwen3Coder,
  qwen35,
  glm45,
  glm47,
  minimaxM2,
  minimaxM3,
  minicpm5,
  seedOss,
  mistralV3,
  mistralV11,
  mistralV13,
  kimiK2,
  kimiK2Thinking,
  deepseekV3,
  deepseekR1,
  deepseekV31,
  gemma4,
  functionGemma,
  llama3Json,
  granite3,
  phi4Mini,
  commandR7b,
  command4,
  deepseekV32,
  deepseekV4,
  deepseekV41,
  kimiK3,
  pythonic,
  llama4,
  olmo3,
  lfm2,
  lfm25,
  harmony,
  museGlimmer,
  hyV3,
  gigachat3,
  hunyuanA13b,
  apertus,
  nemotronV2,
]

const BY_ID: ReadonlyMap<string, Format> = new Map(FORMATS.map((format) => [format.id, format]))

/** The format of that id, or of `format@version` in that version; null for an unknown one. */
export function formatNamed(id: string): Format | null {
  const known = BY_ID.get(id)
  if (known !== undefined) return known
  const at = id.indexOf('@')
  return at < 0 ? null : (BY_ID.get(id.slice(0, at))?.inVersion?.(id.slice(at + 1)) ?? null)
}
