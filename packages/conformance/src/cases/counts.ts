import type { Case } from './case.ts'
import { RESPONSE_TEMPLATE, isCoarse } from '../protocol/declaration.ts'
import type { Taxonomy } from './taxonomy.ts'

/** How many cases formats have about topics, and why some places have none. */
export interface TopicCounts {
  /** Formats of the taxonomy that have a case. */
  readonly formats: readonly string[]
  /** 0 where there is no case. */
  at(format: string, topic: string): number
  /** Why places have no case, a line per reason. */
  readonly reasons: readonly string[]
}

/** Counts the cases that are about a topic: those whose id is a path of format, operation and topic. */
export async function countTopics(cases: AsyncIterable<Pick<Case, 'id'>>, taxonomy: Taxonomy): Promise<TopicCounts> {
  const counts = new Map<string, Map<string, number>>()
  for await (const { id } of cases) {
    const [, format, topic] = /^([^/#]+)\/[^/#]+\/([^/#]+)#/.exec(id) ?? []
    if (format === undefined || topic === undefined) continue
    const own = counts.get(format) ?? new Map<string, number>()
    counts.set(format, own.set(topic, (own.get(topic) ?? 0) + 1))
  }
  const formats = Object.keys(taxonomy.formats).filter((format) => counts.has(format))
  const at = (format: string, topic: string): number => counts.get(format)?.get(topic) ?? 0
  return { formats, at, reasons: reasonsOf(taxonomy, { formats, at }) }
}

function reasonsOf(taxonomy: Taxonomy, counts: Omit<TopicCounts, 'reasons'>): readonly string[] {
  const { gaps, notCases } = taxonomy
  return [
    ...withoutOperations(taxonomy, counts.formats),
    ...withoutTopics(taxonomy, counts),
    ...gaps
      .filter(({ format }) => counts.formats.includes(format))
      .map(({ format, op, topic, because }) => `${format}/${op}/${topic}: ${because}`),
    ...notCases.map(({ property, because }) => `no case for ${property}: ${because}`),
  ]
}

function withoutOperations({ formats }: Taxonomy, shown: readonly string[]): readonly string[] {
  const byReason = new Map<string, string[]>()
  for (const format of shown) {
    const { operations, because } = formats[format] ?? {}
    if (operations === undefined) continue
    const reason = `only ${operations.join(' and ')}: ${because ?? ''}`
    byReason.set(reason, [...(byReason.get(reason) ?? []), format])
  }
  return [...byReason].map(([reason, names]) => `${names.length} of the formats: ${reason} (${names.join(', ')})`)
}

/** Topics that some formats need no case about. */
function withoutTopics(
  { formats, traits = {}, topics }: Taxonomy,
  counts: Omit<TopicCounts, 'reasons'>,
): readonly string[] {
  return topics.flatMap(({ topic, appliesIf = [], because }) => {
    const lacks = (format: string): boolean => !appliesIf.every((trait) => formats[format]?.traits.includes(trait))
    const condition = appliesIf.map((trait) => traits[trait] ?? `a format has ${trait}`).join(', and ')
    const isOptional = because !== undefined && counts.formats.some((format) => counts.at(format, topic) === 0)
    return [
      ...(counts.formats.some(lacks) ? [`${topic}: asked where ${condition}`] : []),
      ...(isOptional ? [`${topic}: ${because}`] : []),
    ]
  })
}

/** Cases per operation, by what they are about: a format, or the program whose functions they are. */
export type CaseCounts = ReadonlyMap<string, ReadonlyMap<string, number>>

/** Counts cases by format and operation. A case counts once for every profile. */
export async function countCases(cases: AsyncIterable<Case>): Promise<CaseCounts> {
  const groups = new Map<string, Map<string, number>>()
  for await (const item of cases) {
    const name = groupName(item)
    const counts = groups.get(name) ?? new Map<string, number>()
    groups.set(name, counts.set(item.op, (counts.get(item.op) ?? 0) + 1))
  }
  return groups
}

function groupName({ op, format, profile }: Case): string {
  if (isCoarse(op) && format !== undefined) return format
  if (op === RESPONSE_TEMPLATE) return 'response-template'
  return profile.startsWith('metagpt@') ? 'metagpt' : 'qwen-agent'
}
