import type { Repair } from '../../reading/call-block.ts'

/** A text with repairs made, so that the format's own reader can read it. */
export interface RepairedText {
  readonly text: string
  readonly repairs: readonly Repair[]
}
