/** More of a text is not shown on a page. */
const LONGEST = 3000
/** So much of what texts have in common is kept before the place where they part. */
const KEPT = 200

/** Long texts, cut so that the place where they part is seen: the same beginning is left out of all. */
export function cutTogether(texts: readonly (string | null)[]): readonly (string | null)[] {
  const given = texts.filter((text) => text !== null)
  if (given.every((text) => text.length <= LONGEST)) return texts
  const start = given.length < 2 ? 0 : Math.max(0, commonLength(given) - KEPT)
  return texts.map((text) => {
    if (text === null) return null
    const rest = text.slice(start)
    return `${start > 0 ? '…' : ''}${rest.length > LONGEST ? `${rest.slice(0, LONGEST)}…` : rest}`
  })
}

function commonLength([first = '', ...others]: readonly string[]): number {
  let length = first.length
  for (const other of others) {
    let at = 0
    while (at < length && first[at] === other[at]) at += 1
    length = at
  }
  return length
}
