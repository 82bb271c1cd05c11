/** For a search in steps: something else is due when so many milliseconds have passed since this was made. */
export function dueAfter(ms: number): () => boolean {
  const start = performance.now()
  return () => performance.now() - start >= ms
}
