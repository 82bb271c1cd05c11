import type { Format } from '@callspec/core'

/** A marker of the kind `✿FUNCTION✿:`: a word between two of the same sign. */
const FRAMED = /^([^\w\s]+)(\w+)\1:$/u

/**
 * Finds where a text has a call without the signs of its markers, or without the words between them: `: clock`, then `: {}`.
 * Null for a format whose markers have no such signs.
 */
export function eatenMarks({ markers }: Format): ((text: string) => number | null) | null {
  const [start, inner] = [markers.callStart, markers.callInner].map(
    (kind) => kind.map((marker) => FRAMED.exec(marker)).find((match) => match !== null) ?? null,
  )
  if (!start || !inner) return null
  const [, sign = '', name = ''] = start
  const [, , args = ''] = inner
  const word = (text: string): string => `[ \\t]{0,8}(?:${text})?[ \\t]{0,4}[:：][ \\t]{0,4}`
  const eaten = new RegExp(`(?:^|\\n)${word(name)}[\\w.-]{1,80}[ \\t]{0,4}\\n${word(args)}\\{`)
  return (text) => {
    const match = text.includes(sign) ? null : eaten.exec(text)
    return match === null ? null : match.index + (match[0].startsWith('\n') ? 1 : 0)
  }
}
