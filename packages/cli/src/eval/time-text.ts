/** `15 s`, `3 min`, `2.5 h`. */
export function timeText(ms: number): string {
  const seconds = ms / 1000
  if (seconds < 100) return `${Math.ceil(seconds)} s`
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`
}
