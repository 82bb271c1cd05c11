/** The operations that are made for outsiders: their outputs have a schema. */
export type CoarseOperation = 'render' | 'parse' | 'stream' | 'stop' | 'loop'

/** In the order in which an outsider meets them. */
export const COARSE_OPERATIONS: readonly CoarseOperation[] = ['parse', 'stop', 'render', 'stream', 'loop']

/** Whether an operation is one of these. */
export function isCoarse(op: string): op is CoarseOperation {
  return (COARSE_OPERATIONS as readonly string[]).includes(op)
}
