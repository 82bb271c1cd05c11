/** A number with its noun: `1 text`, `0 texts`, `2 replies` where `many` says how the noun changes. */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`
}
