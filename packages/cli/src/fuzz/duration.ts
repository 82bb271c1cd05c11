import { UsageError } from '../usage-error.ts'

const UNITS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600 }

/**
 * A time such as `60s`, `10m`, `8h`, or seconds without a unit; in milliseconds.
 *
 * @throws UsageError for anything else
 */
export function milliseconds(text: string, option: string): number {
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)(s|m|h)?$/.exec(text) ?? []
  const seconds = Number(amount) * (UNITS[unit] ?? 1)
  if (amount === '' || !(seconds > 0) || seconds > 7 * 86_400)
    throw new UsageError(`--${option} "${text}" is no time. Write 60s, 10m or 8h.`)
  return seconds * 1000
}
