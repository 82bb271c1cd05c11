/**
 * MB/s of CPU time, measured once on one machine with texts of the same make (two shared cores, Node 20, Python 3.11): an
 * `indexOf` + `slice` splitter, and Qwen-Agent's own postprocess of the ✿ format. Speeds do not travel, their ratio does.
 */
export const QWEN_PUBLISHED: Readonly<Record<string, { readonly limit: number; readonly qwenAgent: number }>> = {
  'en-1024-1': { limit: 9429, qwenAgent: 44.4 },
  'en-1024-5': { limit: 2859, qwenAgent: 27.5 },
  'en-65536-1': { limit: 71_637, qwenAgent: 703 },
  'en-65536-10': { limit: 39_997, qwenAgent: 464 },
  'en-65536-100': { limit: 6777, qwenAgent: 110 },
  'en-1048576-1': { limit: 53_212, qwenAgent: 900 },
  'en-1048576-10': { limit: 50_244, qwenAgent: 812 },
  'en-1048576-100': { limit: 37_781, qwenAgent: 544 },
  'en-1048576-1000': { limit: 9516, qwenAgent: 138 },
  'zh-1024-1': { limit: 10_332, qwenAgent: 43.2 },
  'zh-1024-5': { limit: 3041, qwenAgent: 29.5 },
  'zh-65536-1': { limit: 198_938, qwenAgent: 1327 },
  'zh-65536-10': { limit: 57_879, qwenAgent: 692 },
  'zh-65536-100': { limit: 6859, qwenAgent: 127 },
  'zh-1048576-1': { limit: 231_254, qwenAgent: 1828 },
  'zh-1048576-10': { limit: 186_616, qwenAgent: 1860 },
  'zh-1048576-100': { limit: 73_446, qwenAgent: 1087 },
  'zh-1048576-1000': { limit: 9990, qwenAgent: 147 },
}

/** How many times the reference's speed a share of the splitter's speed is. */
export function timesQwenAgent(cell: string, shareOfLimit: number): number {
  const published = QWEN_PUBLISHED[cell]
  return published === undefined ? Number.NaN : (shareOfLimit * published.limit) / published.qwenAgent
}

/**
 * The same for the nous format: `indexOf` + `JSON.parse`, and the hermes parser of `@ai-sdk-tool/parser` 4.1.26, both with
 * the arguments read.
 */
export const NOUS_PUBLISHED: Readonly<Record<string, { readonly limit: number; readonly parser4: number }>> = {
  'en-1024-1': { limit: 870, parser4: 14.6 },
  'en-1024-5': { limit: 301, parser4: 9.08 },
  'en-65536-1': { limit: 2593, parser4: 42.5 },
  'en-65536-10': { limit: 1946, parser4: 38.2 },
  'en-65536-100': { limit: 614, parser4: 17.3 },
  'en-1048576-1': { limit: 1122, parser4: 42.3 },
  'en-1048576-10': { limit: 2553, parser4: 45.1 },
  'en-1048576-100': { limit: 2054, parser4: 40.2 },
  'en-1048576-1000': { limit: 773, parser4: 19.7 },
  'zh-1024-1': { limit: 1044, parser4: 29.1 },
  'zh-1024-5': { limit: 296, parser4: 9.41 },
  'zh-65536-1': { limit: 6134, parser4: 115 },
  'zh-65536-10': { limit: 3359, parser4: 80.1 },
  'zh-65536-100': { limit: 651, parser4: 18.9 },
  'zh-1048576-1': { limit: 2476, parser4: 116 },
  'zh-1048576-10': { limit: 6216, parser4: 119 },
  'zh-1048576-100': { limit: 3796, parser4: 88.1 },
  'zh-1048576-1000': { limit: 904, parser4: 24.5 },
}

/** How many times the speed of that parser a share of the limit is. */
export function timesParser4(cell: string, shareOfLimit: number): number {
  const published = NOUS_PUBLISHED[cell]
  return published === undefined ? Number.NaN : (shareOfLimit * published.limit) / published.parser4
}
