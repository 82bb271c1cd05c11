/** A word of JSON as Python reads it, and its value. */
export type JsonWord = readonly [word: string, value: null | boolean | number]

/** The words by the character that they begin with. */
export const JSON_WORDS: Readonly<Record<'n' | 't' | 'f' | 'N' | 'I', JsonWord>> = {
  n: ['null', null],
  t: ['true', true],
  f: ['false', false],
  N: ['NaN', Number.NaN],
  I: ['Infinity', Number.POSITIVE_INFINITY],
}
