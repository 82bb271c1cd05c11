/** A number with its noun: `1 task`, `0 tasks`, `2 replies` where `many` says how the noun changes. */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`
}
