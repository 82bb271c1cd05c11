/** The special tokens of V3, R1 and V3.1. The bars are U+FF5C, the low blocks U+2581. */
export const MARKS = {
  begin: '<｜begin▁of▁sentence｜>',
  end: '<｜end▁of▁sentence｜>',
  user: '<｜User｜>',
  assistant: '<｜Assistant｜>',
  calls: ['<｜tool▁calls▁begin｜>', '<｜tool▁calls▁end｜>'],
  call: ['<｜tool▁call▁begin｜>', '<｜tool▁call▁end｜>'],
  separator: '<｜tool▁sep｜>',
  results: ['<｜tool▁outputs▁begin｜>', '<｜tool▁outputs▁end｜>'],
  result: ['<｜tool▁output▁begin｜>', '<｜tool▁output▁end｜>'],
  thought: ['<think>', '</think>'],
} as const

/** Around the arguments of V3, with its line feeds. */
export const FENCE = ['\n```json\n', '\n```'] as const
