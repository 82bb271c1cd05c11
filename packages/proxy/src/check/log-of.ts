/** Events as lines `data: …`; undefined stands for one that was no JSON. */
export function logOf(events: readonly unknown[]): string {
  const lines = events.map((event) => `data: ${event === undefined ? '{' : JSON.stringify(event)}\n\n`)
  return `${lines.join('')}data: [DONE]\n\n`
}
