import { isWrong, openCompatData, CompatDataError } from '@callspec/compat-data'
import type { CompatResult, CompatVerdict } from '@callspec/compat-data'
import type { KnownFailures } from '@callspec/conformance'
import { chooseRow } from '../compat/chosen-row.ts'
import { UsageError } from '../usage-error.ts'

/** What a version of an engine reads wrong, as known failures, and what the list is called. */
export interface AgainstEngine {
  readonly known: KnownFailures
  /** `vLLM 0.33.0`. */
  readonly name: string
}

/**
 * Reads `ENGINE@VERSION`, or `ENGINE@VERSION/PARSER` where several parsers were asked a format.
 *
 * @throws UsageError for an unknown engine, version or parser, and where several parsers were asked the format of a case
 */
export function readAgainst(given: string): AgainstEngine {
  const at = given.indexOf('/')
  const [engine, parser] = at < 0 ? [given, null] : [given.slice(0, at), given.slice(at + 1)]
  const { row } = chooseRow(openedData(), engine)
  const name = `${row.title} ${row.version}`
  const parsers = [...new Set(row.results.map((result) => result.parser))]
  if (parser !== null && !parsers.includes(parser))
    throw new UsageError(`${name} has no parser "${parser}". Its parsers: ${parsers.join(', ')}.`)
  const byFormat = new Map<string, ReadonlyMap<string, CompatVerdict>>()
  const entryOf = (
    id: string,
  ): { readonly kind: 'policy' | 'contested' | 'unverified'; readonly reason: string } | null => {
    const [format = ''] = id.split('/')
    const verdicts =
      byFormat.get(format) ??
      notPassed(
        row.results.filter((result) => result.format === format && (parser ?? result.parser) === result.parser),
        name,
      )
    byFormat.set(format, verdicts)
    const verdict = verdicts.get(id)
    if (verdict === undefined) return null
    return {
      kind: verdict === 'cut' ? 'policy' : verdict === 'contested' ? 'contested' : 'unverified',
      reason: `${verdict} in ${name}`,
    }
  }
  return { name, known: { reason: ({ id }) => entryOf(id)?.reason ?? null, entry: entryOf, unused: () => [] } }
}

/** The cases that one parser did not pass, by id. */
function notPassed(results: readonly CompatResult[], name: string): ReadonlyMap<string, CompatVerdict> {
  const parsers = [...new Set(results.map(({ parser }) => parser))]
  const [first, ...others] = parsers
  if (first !== undefined && others.length > 0) {
    const format = results[0]?.format ?? ''
    throw new UsageError(
      `${name} was asked ${format} with several parsers. Name one: --against ENGINE@VERSION/${first} (or ${others.join(', ')}).`,
    )
  }
  const entries = results.flatMap(({ cases }) => Object.entries(cases).map(([id, [verdict]]) => [id, verdict] as const))
  return new Map(
    entries.filter(([, verdict]) => isWrong(verdict) || ['id', 'number', 'cut', 'contested'].includes(verdict)),
  )
}

function openedData(): ReturnType<typeof openCompatData> {
  try {
    return openCompatData()
  } catch (error) {
    if (error instanceof CompatDataError) throw new UsageError(error.message)
    throw error
  }
}
