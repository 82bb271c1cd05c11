import type { Gap, Taxonomy, TaxonomyTopic } from './taxonomy.ts'

/** A file of cases about one topic, as far as the taxonomy goes. */
export interface TopicFile {
  readonly file: string
  readonly format: string
  readonly op: string
  readonly topic: string
  /** Whether one of its cases names a report. */
  readonly hasEvidence: boolean
  /** Whether it was named itself, and not met in a folder. */
  readonly named: boolean
}

/** Something that should be otherwise, and where. */
export interface Finding {
  readonly where: string
  readonly what: string
}

/**
 * What the taxonomy asks for and the files lack, and what they have and it does not know.
 *
 * @param asks `all` that the taxonomy asks for; or of a part of a set only what concerns it: every topic of the operations that a
 *   format has in a folder, and beside a file that was named itself nothing
 */
export function findGaps(
  files: readonly TopicFile[],
  { taxonomy, asks }: { readonly taxonomy: Taxonomy; readonly asks: 'all' | 'given' },
): readonly Finding[] {
  const present = new Map(files.map((file) => [placeOf(file), file]))
  const given = new Set(files.filter(({ named }) => !named).map(operationOf))
  const concerns = (place: string): boolean =>
    asks === 'all' || present.has(place) || given.has(place.slice(0, place.lastIndexOf('/')))
  const excused = new Set(taxonomy.gaps.map(placeOf))
  const needed = taxonomy.topics.flatMap((topic) => placesOf(topic, taxonomy).map((place) => ({ topic, place })))
  const places = new Set(needed.map(({ place }) => place))
  return [
    ...files.flatMap((file) => unknownNames(file, taxonomy)),
    ...needed
      .filter(({ place }) => concerns(place))
      .flatMap(({ topic, place }) => missingAt(place, topic, present.get(place), excused)),
    ...taxonomy.gaps.filter((gap) => concerns(placeOf(gap))).flatMap((gap) => pointlessGap(gap, present, places)),
  ]
}

function operationOf({ format, op }: Pick<Gap, 'format' | 'op'>): string {
  return `${format}/${op}`
}

function placeOf({ format, op, topic }: Pick<Gap, 'format' | 'op' | 'topic'>): string {
  return `${format}/${op}/${topic}`
}

/** Where a topic needs cases. */
function placesOf({ topic, required, appliesIf = [] }: TaxonomyTopic, { formats }: Taxonomy): readonly string[] {
  const wanting = Object.entries(formats).filter(([, { traits }]) => appliesIf.every((trait) => traits.includes(trait)))
  return wanting.flatMap(([format, { operations }]) =>
    required.filter((op) => operations?.includes(op) ?? true).map((op) => placeOf({ format, op, topic })),
  )
}

function unknownNames({ file, format, topic }: TopicFile, { formats, topics }: Taxonomy): readonly Finding[] {
  const findings: Finding[] = []
  if (!Object.hasOwn(formats, format))
    findings.push({ where: file, what: `the taxonomy has no format "${format}"; add it with its traits.` })
  if (!topics.some((known) => known.topic === topic))
    findings.push({ where: file, what: `the taxonomy has no topic "${topic}"; add it, or choose one that is there.` })
  return findings
}

function missingAt(
  place: string,
  { hurts }: TaxonomyTopic,
  file: TopicFile | undefined,
  excused: ReadonlySet<string>,
): readonly Finding[] {
  if (file === undefined) {
    const what = 'has no cases. Add some, or say why not under "gaps" of the taxonomy.'
    return excused.has(place) ? [] : [{ where: place, what }]
  }
  if (hurts === undefined || file.hasEvidence) return []
  return [{ where: file.file, what: 'has no case with "evidence": a URL of a report of what hurts.' }]
}

function pointlessGap(
  gap: Gap,
  present: ReadonlyMap<string, TopicFile>,
  needed: ReadonlySet<string>,
): readonly Finding[] {
  const place = placeOf(gap)
  if (present.has(place)) return [{ where: place, what: 'is excused under "gaps", and has cases.' }]
  return needed.has(place) ? [] : [{ where: place, what: 'is excused under "gaps", and nobody asks for it.' }]
}
