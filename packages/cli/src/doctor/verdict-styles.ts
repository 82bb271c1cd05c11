import type { Style } from '../output.ts'

/** How verdicts of the doctor are painted. */
export const VERDICT_STYLES: Readonly<Record<string, Style>> = {
  ok: 'green',
  warn: 'yellow',
  fail: 'red',
  unknown: 'dim',
}
