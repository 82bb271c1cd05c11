import { plural } from '@callspec/eval/plural'
import type { Style } from '../output.ts'

/** How verdicts of the doctor are painted. */
export const VERDICT_STYLES: Readonly<Record<string, Style>> = {
  ok: 'green',
  warn: 'yellow',
  fail: 'red',
  unknown: 'dim',
}

/** The last line of a report: `1 thing to fix: native-calls`. */
export function toFixText(names: readonly string[]): string {
  return names.length === 0 ? 'Nothing to fix.' : `${plural(names.length, 'thing')} to fix: ${names.join(', ')}`
}
