/** What speaks for a format, the strongest first: the maker's version decides, then what the template writes. */
const GROUNDS = ['tekken.json', 'chat template', 'vocabulary', 'name'] as const

/** One of `GROUNDS`. */
export type Ground = (typeof GROUNDS)[number]

/** What one ground says of a model. */
export interface Evidence {
  readonly by: Ground
  /** Ids; several where it does not tell them apart, none where the model is known and cannot be read. */
  readonly formats: readonly string[]
  /** For people, such as `its chat template writes calls of qwen3-coder`. */
  readonly says: string
  /** A model that is known by this title, and what of its prompt is not covered. */
  readonly title?: string
  readonly lacks?: string
}

/** Which formats a model speaks, and how sure that is. */
export interface ModelAnswer {
  /** Ids; empty where they are unknown, or the model is known and cannot be read. */
  readonly formats: readonly string[]
  readonly sure: 'sure' | 'likely' | 'a guess' | 'unknown'
  /** Why, the strongest ground first. */
  readonly evidence: readonly Evidence[]
  readonly lacks: string | null
}

const SURE: Readonly<Record<Ground, ModelAnswer['sure']>> = {
  'tekken.json': 'sure',
  'chat template': 'sure',
  vocabulary: 'likely',
  name: 'a guess',
}

/** The answer of all grounds: the strongest one that says something, narrowed down by those that agree with it. */
export function answerOf(given: readonly Evidence[]): ModelAnswer {
  const evidence = GROUNDS.flatMap((by) => given.filter((each) => each.by === by))
  const lacks = evidence.find((each) => each.lacks !== undefined)?.lacks ?? null
  const [first, ...weaker] = evidence.filter(({ formats }) => formats.length > 0)
  if (first === undefined) return { formats: [], sure: 'unknown', evidence, lacks }
  const formats = weaker.reduce((known, { formats: others }) => {
    const both = known.filter((id) => others.includes(id))
    return both.length === 0 ? known : both
  }, first.formats)
  return { formats, sure: SURE[first.by], evidence, lacks }
}
