/** How a version spells its tags; without the brackets. */
export interface Tags {
  /** Around all calls of a reply. */
  readonly block: string
  readonly call: string
  readonly argument: string
}

/** V3.2. The bars are U+FF5C; between them stands the only special token of a tag. */
export const V32: Tags = { block: '｜DSML｜function_calls', call: '｜DSML｜invoke', argument: '｜DSML｜parameter' }

/** V4. */
export const V4: Tags = { ...V32, block: '｜DSML｜tool_calls' }

/** V4.1: a blank in every tag. */
export const V41: Tags = { block: '｜DSML｜ calls', call: '｜DSML｜ invoke', argument: '｜DSML｜ parameter' }

/** The one token of a tag. */
export const DSML = '｜DSML｜'

/** Ends a turn. */
export const END = '<｜end▁of▁sentence｜>'

/** Around a thought. */
export const THOUGHT = ['<think>', '</think>'] as const

/** What an argument says of its value: characters as they stand, or JSON. */
export const IS_TEXT = { text: 'string="true">', json: 'string="false">' } as const

/** Around turns. */
export const TURNS = {
  begin: '<｜begin▁of▁sentence｜>',
  user: '<｜User｜>',
  assistant: '<｜Assistant｜>',
  reminder: '<｜latest_reminder｜>',
} as const
