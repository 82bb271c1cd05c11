import type { ByteDifference, Difference } from '@callspec/conformance'

/** A difference in a few lines, with visible white space, a caret below the place, and the first byte that differs. */
export function explain(head: string, { path, what, expected, actual, caret, byte }: Difference): string {
  const place = path === '' ? what : `${path}: ${what}`
  // Of names, unlike texts, nobody needs to know the bytes.
  const shownByte = /(?:^|\.)(?:type|role|reason)$/.test(path) ? undefined : byte
  return [
    head,
    `  where     ${place}`,
    ...(shownByte === undefined ? [] : [byteLine(shownByte)]),
    `  expected  ${expected}`,
    `  got       ${actual}`,
    ...(caret === null ? [] : [`${' '.repeat(12 + caret)}^`]),
  ].join('\n')
}

function byteLine({ at, expected, actual }: ByteDifference): string {
  return `  byte      ${at}: ${expected} expected, ${actual} found`
}

/** What a matcher gives back. */
export interface MatcherResult {
  readonly pass: boolean
  readonly message: () => string
}

/** Passes when there is no difference; `what` begins the message, also the one of `.not`, and `about` ends it. */
export function matched(
  what: { readonly is: string; readonly isNot: string; readonly about?: readonly string[] },
  difference: Difference | null,
): MatcherResult {
  const { about = [] } = what
  return {
    pass: difference === null,
    message: () => [difference === null ? what.is : explain(what.isNot, difference), ...about].join('\n'),
  }
}
