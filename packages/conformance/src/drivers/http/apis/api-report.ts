import type { Api as ApiName } from '@callspec/apis'
import { dumps, fromPlain } from '@callspec/python'
import { shortened } from '../../../comparison/visible.ts'
import type { ReadingFault } from './compare-readings.ts'
import { ruleText } from './compare-readings.ts'
import type { ApiResult, RequestKind } from './over-apis.ts'

/** The readings over one API, in one form. */
export interface ReadingCounts {
  readonly api: ApiName
  readonly stream: boolean
  readonly readings: number
  /** Those that say what the reference says, but for white space. */
  readonly same: number
  /** Those that break no law of their API. */
  readonly lawful: number
}

/** How a fault is met: in whole replies, in streams, in prompts. */
export type FaultForm = 'whole' | 'streamed' | 'prompt'

/** A fault that several results have over one API, with its smallest example. */
export interface FaultGroup {
  readonly rule: ReadingFault['rule']
  readonly api: ApiName
  /** How often, in each form that has it. */
  readonly times: ReadonlyMap<FaultForm, number>
  /** With how many requests of each kind. */
  readonly requests: ReadonlyMap<RequestKind, number>
  readonly smallest: ReadingFault & { readonly id: string; readonly request: RequestKind }
}

/** What a run over several APIs found. */
export interface ApiReport {
  readonly counts: readonly ReadingCounts[]
  /** Agreements before laws, the most frequent first. */
  readonly groups: readonly FaultGroup[]
  readonly verdicts: Readonly<Record<ApiResult['verdict'], number>>
  readonly skips: ReadonlyMap<string, number>
  /** How many conversations were compared, and how many have one prompt. */
  readonly prompts: { readonly of: number; readonly same: number }
}

/** Collects results. */
export function createApiReport(): { add(result: ApiResult): void; report(): ApiReport } {
  const counts = new Map<string, { -readonly [K in keyof ReadingCounts]: ReadingCounts[K] }>()
  const groups = new Map<string, OpenGroup>()
  const verdicts = { passed: 0, failed: 0, errored: 0, skipped: 0 }
  const skips = new Map<string, number>()
  const prompts = { of: 0, same: 0 }
  return {
    add: ({ id, request, verdict, reason, faults, readings }) => {
      verdicts[verdict] += 1
      if (reason !== null) skips.set(reason, (skips.get(reason) ?? 0) + 1)
      if (request === 'prompt') {
        if (reason === null) prompts.of += 1
        if (reason === null && faults.length === 0) prompts.same += 1
      } else
        for (const { api, stream } of readings) {
          const key = `${api} ${String(stream)}`
          const count = counts.get(key) ?? { api, stream, readings: 0, same: 0, lawful: 0 }
          counts.set(key, count)
          const own = faults.filter((fault) => fault.api === api && fault.stream === stream)
          count.readings += 1
          if (own.every(({ rule }) => isLaw(rule) || rule === 'space')) count.same += 1
          if (!own.some(({ rule }) => isLaw(rule))) count.lawful += 1
        }
      const met = new Set<string>()
      for (const fault of faults) {
        const key = `${fault.rule} ${fault.api}`
        const example = { ...fault, id, request }
        const group = groups.get(key) ?? { ...fault, times: new Map(), requests: new Map(), smallest: example }
        groups.set(key, group)
        countOne(group.times, formOf(fault))
        if (met.size < met.add(key).size) countOne(group.requests, request)
        if (fault.transcript.length < group.smallest.transcript.length) group.smallest = example
      }
    },
    report: () => {
      const inOrder = [...groups.values()].sort(
        (one, other) => Number(isLaw(one.rule)) - Number(isLaw(other.rule)) || timesOf(other) - timesOf(one),
      )
      return { counts: [...counts.values()], groups: inOrder, verdicts, skips, prompts }
    },
  }
}

interface OpenGroup extends FaultGroup {
  readonly times: Map<FaultForm, number>
  readonly requests: Map<RequestKind, number>
  smallest: FaultGroup['smallest']
}

function countOne<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

function timesOf({ times }: FaultGroup): number {
  return [...times.values()].reduce((sum, each) => sum + each, 0)
}

/** In what a fault was met. */
export function formOf({ stream }: Pick<ReadingFault, 'stream'>): FaultForm {
  return stream === null ? 'prompt' : stream ? 'streamed' : 'whole'
}

/** Laws of APIs are named by a letter and a number. */
function isLaw(rule: ReadingFault['rule']): boolean {
  return /^[A-Z]\d+$/.test(rule)
}

const MAX_TRANSCRIPT = 20_000

/** A result as a line of JSON. */
export function apiResultLine({ id, request, verdict, reason, faults, readings }: ApiResult): string {
  return dumps(
    fromPlain({
      ...{ id, op: 'apis', request, verdict },
      ...(reason === null ? {} : { reason }),
      readings: readings.map(({ api, stream }) => `${api} ${stream ? 'streamed' : 'whole'}`),
      faults: faults.map(({ api, stream, rule, message, event, transcript }) => ({
        ...{ api, form: formOf({ stream }), rule, says: ruleText(rule), message },
        ...(event === 0 ? {} : { event: BigInt(event) }),
        transcript: shortened(transcript, MAX_TRANSCRIPT),
      })),
    }),
  )
}
