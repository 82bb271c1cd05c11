import { ARGS_COLON, FUNCTION_COLON, STOP_WORDS } from './tokens.ts'

/** The marker that stands at a flower; null where the flower is text, or nobody knows yet. */
export function markerAt(text: string, at: number): string | null {
  return FOUND.find((marker) => text.startsWith(marker, at)) ?? null
}

/** Whether the text ends with the beginning of a marker at `at`. */
export function isBeginning(text: string, at: number): boolean {
  if (text.length - at >= FUNCTION_COLON.length) return false
  const end = text.slice(at)
  return FOUND.some((marker) => marker.startsWith(end))
}

/** What is looked for in a reply. */
const FOUND: readonly string[] = [FUNCTION_COLON, ARGS_COLON, ...STOP_WORDS]
