/**
 * The words that the search keeps of a text: of Chinese every pair of neighbours, because nothing parts its words. Both the build and
 * the page call it, the page from its source text: it must not use anything from outside.
 */
export function searchTerms(text: string): string[] {
  const runs = text.match(/\p{Script=Han}+|(?:(?!\p{Script=Han})[\p{L}\p{M}\p{N}])+/gu) ?? []
  return runs.flatMap((run) => {
    if (run.length < 3 || !/\p{Script=Han}/u.test(run)) return [run]
    return Array.from({ length: run.length - 1 }, (_, at) => run.slice(at, at + 2))
  })
}
