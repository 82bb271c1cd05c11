import type { Times } from '../metrics/figures.ts'
import type { FormatName } from '../trace/format-names.ts'
import type { Warning } from './warnings.ts'
import { quantile } from '../statistics/rate.ts'
import type { Usage } from '../trace/completion.ts'
import type { TriedEndpoint } from '../trace/trace.ts'
import type { EpisodeScore } from '../score/scores.ts'
import { plural } from '../text/text.ts'
import type { RecordedEndpoint, RunManifest } from '../trace/run-manifest.ts'
import { identityText } from '../trace/run-manifest.ts'

/** The part of a summary that can differ between runs with the same replies. */
export interface Transport {
  /** In the order of the summary's rows. */
  readonly rows: readonly TransportRow[]
  /** Counts by endpoint, where a run had several. */
  readonly endpoints: readonly EndpointEntry[]
  /** How often an episode went on at another endpoint, and how many episodes restarted there. */
  readonly moved: number
  readonly restarted: number
  /** Turns of these episodes before they restarted; they count nowhere. */
  readonly superseded: number
  /** Requests that several machines made for one reply, and replies that were given up because another one was stored. */
  readonly askedTwice: number
  readonly dropped: number
  /** The builds of the engines, by model; absent if none is reported. */
  readonly engines?: Readonly<Record<string, readonly string[]>>
  readonly warnings: readonly Warning[]
}

/** An endpoint, with the build that it named at last; null for none. */
export interface EndpointEntry extends EndpointRow {
  readonly build: string | null
}

export interface TransportRow {
  readonly model: string
  readonly protocol: FormatName
  /** Turns with a reply that took more than one attempt. */
  readonly retriedTurns: number
}

/** How long replies took: the other part that differs from try to try. */
export interface Timing {
  /** In the order of the summary's rows. */
  readonly rows: readonly TimingRow[]
}

export interface TimingRow {
  readonly model: string
  readonly protocol: FormatName
  readonly figures: Times
}

/** What one endpoint of several did. */
export interface EndpointRow {
  /** Its address without secrets. */
  readonly endpoint: string
  /** Attempts, and those of them without a reply. */
  readonly requests: number
  readonly errors: number
  readonly tokens: number
  /** The same over the seconds that these took, each by itself; null where the server counts none. */
  readonly tokensPerSecond: number | null
  /** Milliseconds per reply; null for no reply. */
  readonly p50: number | null
  readonly p95: number | null
}

/** What counts of a turn, from the journal or scored. */
export interface EndpointTurn {
  readonly endpoint?: string
  readonly tried?: readonly TriedEndpoint[]
  readonly attempts: number
  readonly ms: number | null
  readonly usage: Usage | null
}

/** Counts what endpoints did, turn by turn. */
export interface EndpointCounts {
  /** @param isAnswered whether there was a reply */
  add(turn: EndpointTurn, isAnswered: boolean): void
  /** By name. */
  rows(): readonly EndpointRow[]
}

interface Counted {
  requests: number
  errors: number
  tokens: number
  ms: number
  readonly times: number[]
}

/** @param most of so many times the last ones are kept; default: all */
export function createEndpointCounts(most: number = Infinity): EndpointCounts {
  const endpoints = new Map<string, Counted>()
  const of = (name: string): Counted => {
    const known = endpoints.get(name) ?? { requests: 0, errors: 0, tokens: 0, ms: 0, times: [] }
    endpoints.set(name, known)
    return known
  }
  return {
    add: ({ endpoint, tried = [], attempts, ms, usage }, isAnswered) => {
      for (const each of tried) {
        const before = of(each.endpoint)
        before.requests += each.attempts
        before.errors += each.attempts
      }
      if (endpoint === undefined) return
      const counted = of(endpoint)
      counted.requests += attempts
      counted.errors += isAnswered ? Math.max(0, attempts - 1) : attempts
      if (!isAnswered || ms === null) return
      if (usage !== null) {
        counted.tokens += usage.completion
        counted.ms += ms
      }
      if (counted.times.length >= most) counted.times.shift()
      counted.times.push(ms)
    },
    rows: () => [...endpoints].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(endpointRow),
  }
}

function endpointRow([endpoint, { requests, errors, tokens, ms, times }]: readonly [string, Counted]): EndpointRow {
  const sorted = Float64Array.from(times).sort()
  const tokensPerSecond = ms === 0 ? null : (tokens * 1000) / ms
  return {
    endpoint,
    requests,
    errors,
    tokens,
    tokensPerSecond,
    p50: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
  }
}

/** What `run.json` says of how the replies of a run were got. */
export type TransportFacts = Partial<Pick<RunManifest, 'endpoints' | 'servers' | 'engines' | 'transport'>>

/** Counts how replies were got, over all rows. */
export interface TransportCounter {
  add(score: EpisodeScore): void
  /** @param turns with a reply, of all rows */
  result(rows: readonly TransportRow[], turns: number, facts: TransportFacts): Transport
}

export function createTransportCounter(): TransportCounter {
  const endpoints = createEndpointCounts()
  const seen = new Map<string, Set<string>>()
  let [moved, restarted, superseded] = [0, 0, 0]
  return {
    add: ({ key: { model }, turns, superseded: before = 0 }) => {
      if (before > 0) restarted += 1
      superseded += before
      let last: string | undefined
      for (const turn of turns) {
        if (turn.endpoint === undefined && turn.tried === undefined) continue
        endpoints.add(turn, turn.strict !== 'infra_error')
        if (last !== undefined && turn.endpoint !== last) moved += 1
        last = turn.endpoint
        if (last !== undefined) seen.set(model, (seen.get(model) ?? new Set()).add(last))
      }
    },
    result: (rows, turns, facts) => {
      const {
        endpoints: asked = {},
        servers = {},
        engines = {},
        transport: { askedTwice = 0, dropped = 0 } = {},
      } = facts
      const retried = rows.reduce((sum, { retriedTurns }) => sum + retriedTurns, 0)
      const found = [
        retried > 0 ? retriesWarning(retried, turns) : null,
        ...Object.keys(asked).map(
          (model) =>
            differingServers(model, namedServers(asked[model], seen.get(model)), servers) ??
            severalBuilds(model, engines[model]),
        ),
      ]
      return {
        rows,
        endpoints: endpoints.rows().map((row) => ({ ...row, build: servers[row.endpoint]?.build ?? null })),
        ...{ moved, restarted, superseded, askedTwice, dropped },
        ...(Object.keys(engines).length === 0 ? {} : { engines }),
        warnings: found.filter((warning) => warning !== null),
      }
    },
  }
}

function retriesWarning(retried: number, turns: number): Warning {
  const text = `${retried} of ${plural(turns, 'reply', 'replies')} took more than one request.`
  return { code: 'retries', text, values: [retried, turns] }
}

/** Those of workers that share a run, and of a run that went on later, may have one address. */
function severalBuilds(model: string, builds: readonly string[] = []): Warning | null {
  if (builds.length < 2) return null
  const said = builds.join(', ')
  return { code: 'endpoints-differ', text: `${model} was served by several builds: ${said}.`, values: [model, said] }
}

/** Those that the run names, then those that gave replies: workers have their own. */
function namedServers(asked: RecordedEndpoint | undefined, seen: Iterable<string> = []): readonly string[] {
  return [...new Set([...(asked?.all ?? []).map(({ baseUrl }) => baseUrl), ...[...seen].toSorted()])]
}

/** Whether the endpoints of a model said different things of themselves. One that did not answer said nothing. */
function differingServers(
  model: string,
  names: readonly string[],
  servers: TransportFacts['servers'] & object,
): Warning | null {
  const said = names.flatMap((baseUrl) => {
    const identity = servers[baseUrl] ?? null
    return identity === null ? [] : [{ baseUrl, identity }]
  })
  const [first] = said
  const other = said.find(
    ({ identity }) => first !== undefined && identityText(identity) !== identityText(first.identity),
  )
  if (first === undefined || other === undefined) return null
  const isBuild = first.identity.build !== other.identity.build
  const what = isBuild
    ? `${first.baseUrl} is ${first.identity.build ?? 'of an unknown build'}, ${other.baseUrl} ${other.identity.build ?? 'of an unknown one'}`
    : `${first.baseUrl} and ${other.baseUrl} list other models`
  const text = `The endpoints of ${model} differ: ${what}. sameBuild in the configuration refuses that.`
  return { code: 'endpoints-differ', text, values: [model, `${first.baseUrl}, ${other.baseUrl}`] }
}
