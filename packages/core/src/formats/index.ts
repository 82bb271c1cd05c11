import { nous } from './nous/index.ts'
import { qwen } from './qwen/index.ts'
import { react } from './react/index.ts'
import type { FncallFormat } from '../format.ts'
import type { ReactFormat } from './react/index.ts'

/** The built-in formats by id. */
export const formats: { readonly qwen: FncallFormat; readonly nous: FncallFormat; readonly react: ReactFormat } = {
  qwen,
  nous,
  react,
}
