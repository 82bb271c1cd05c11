/** A place on an axis, rounded so that equal data give equal files. */
export function place(value: number, from: number, length: number): string {
  return (from + Math.min(1, Math.max(0, value)) * length).toFixed(1)
}
