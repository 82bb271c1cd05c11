/**
 * Where a lazy grammar of llama.cpp starts to hold: at the first of its triggers, `{"type": 1, "value": WORD}` or type 2 with a pattern,
 * which counts from its first group. The function returns null for a text without a trigger.
 *
 * @throws Error with one line for a trigger of another form
 */
export function triggerSearch(triggers: unknown): (text: string) => number | null {
  const searches = (Array.isArray(triggers) ? (triggers as unknown[]) : []).map((trigger) => {
    const { type, value } = (trigger ?? {}) as Readonly<Record<string, unknown>>
    if (typeof value !== 'string' || (type !== 1 && type !== 2))
      throw new Error('a trigger must be {"type": 1 or 2, "value": TEXT}: a word, or a pattern.')
    return type === 1 ? (text: string) => text.indexOf(value) : patternSearch(value)
  })
  return (text) => {
    const found = searches.map((search) => search(text)).filter((at) => at !== -1)
    return found.length === 0 ? null : Math.min(...found)
  }
}

function patternSearch(pattern: string): (text: string) => number {
  let compiled: RegExp
  try {
    compiled = new RegExp(pattern, 'd')
  } catch {
    throw new Error(`the trigger ${JSON.stringify(pattern.slice(0, 60))} is not a pattern.`)
  }
  return (text) => {
    const found = compiled.exec(text)
    return found === null ? -1 : (found.indices?.[1]?.[0] ?? found.index)
  }
}
