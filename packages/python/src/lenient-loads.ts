import { Raise } from './raise.ts'
import { loads } from './json-loads.ts'
import { loadsJson5 } from './json5-loads.ts'
import { strip } from './strip.ts'
import type { PyValue } from './value.ts'

/**
 * The value of call arguments, as tools read them (spec §11.3): line feeds at both ends go, a fence loses its first and
 * last line, then strict JSON, then JSON5. When both fail, the error of strict JSON is raised.
 *
 * `legacy` is the reader of the oldest versions (`profile.argumentReader`): JSON5 at once, no fence.
 */
export function loadsLenient(text: string, reader: 'legacy' | 'lenient'): PyValue {
  if (reader === 'legacy') return loadsJson5(text)
  const body = withoutFence(strip(text, '\n'))
  try {
    return loads(body)
  } catch (strictError) {
    if (!(strictError instanceof Raise) || strictError.type !== 'JSONDecodeError') throw strictError
    try {
      return loadsJson5(body)
    } catch (error) {
      throw error instanceof Raise && error.type === 'ValueError' ? strictError : error
    }
  }
}

const FENCE = '```'

/** Three back-ticks alone are both ends at once only if a line feed stands before them, so nothing is left of "\n```". */
function withoutFence(text: string): string {
  if (!text.startsWith(FENCE) || !text.endsWith(`\n${FENCE}`)) return text
  const first = text.indexOf('\n')
  const last = text.lastIndexOf('\n')
  return first < last ? text.slice(first + 1, last) : ''
}
