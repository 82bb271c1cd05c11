/**
 * What differs between versions of MetaGPT. Every difference is one row of `HISTORY`, with the version in which each
 * value began; a profile is that table read at one version. Code asks for the difference, never for the version.
 *
 * Source: MetaGPT spec §1 to §6, checked against the program at v0.8.1, v0.8.2 and 1dfce070.
 */
export const METAGPT_PROFILE_NAMES = ['main', 'v0.8.2', 'v0.8.1'] as const

/** The name of a profile, short form; `metagpt@main` is the long one. */
export type MetagptProfileName = (typeof METAGPT_PROFILE_NAMES)[number]

/**
 * The last version that stops cleanly when the model answers -1, as its prompt asks for. Public walk-throughs print v0.8.2, where
 * this answer raises an AttributeError: ask for that version by its name to get what they print.
 */
export const METAGPT_DEFAULT_PROFILE: MetagptProfileName = 'v0.8.1'

/** One version of MetaGPT, as its differences from the others. */
export interface MetagptProfile {
  readonly name: MetagptProfileName

  // Messages (§1, §4)
  /** Whether results are `assistant` messages that carry `agent`, or carry the role's profile as their role. */
  readonly resultRole: 'profile' | 'assistant'
  /** What an action that returns nothing becomes. */
  readonly emptyResult: 'validation-error' | 'empty-text'
  /** The name under which an environment keeps a member. */
  readonly membersKeyedBy: 'profile' | 'name'

  // Observing and publishing (§4)
  /** Which of the messages that were taken from the queue go into memory. */
  readonly observeKeeps: 'everything' | 'news'
  /** Whether a role has an option not to check its memory for news. */
  readonly memoryFilterSwitch: boolean
  /** What a role that was recovered observes first. */
  readonly recoveredObserves: 'latest' | 'latest-unless-known'
  /** Whether a response is routed (to itself, to the environment, to no role) or only broadcast. */
  readonly publishing: 'broadcast' | 'routed'

  // Thinking and acting (§3, §4)
  /** What acting without a todo does. */
  readonly noTodo: 'stop' | 'crash'
  /** Whether `by_order` is a loop of its own, without a think, or a way to think. */
  readonly byOrder: 'own-loop' | 'think'

  // Planning (§5)
  /** Whether a run makes a plan only when there is no goal yet. */
  readonly planning: 'every-run' | 'without-goal'
  readonly planTemplate: 'indented' | 'flush'
  /** Where the code of a fenced answer ends. */
  readonly planFence: 'backticks' | 'line-feed-and-backticks'
  readonly developSoftwareType: boolean
  readonly taskAssignee: boolean
  /** What a result does to what the task holds already. */
  readonly taskResult: 'replaces' | 'appended'
  /** What is taken over of a single task. */
  readonly singleTask: 'whole' | 'without-type-and-result'
  /** Whether every change sorts the tasks again, and a reset reaches tasks that depend indirectly. */
  readonly planUpkeep: 'lazy' | 'sorts-and-cascades'
  /** Who sends the finished plan. */
  readonly planResponse: 'user-without-sender' | 'assistant-with-sender'

  // Tutorial assistant (§6)
  /** How the chapters get to run: inside the first action, or as further actions of the same loop. */
  readonly chapters: 'nested' | 'appended'
}

/** Values with the version in which each began, oldest first. */
type History<T> = readonly (readonly [since: MetagptProfileName, value: T])[]

const HISTORY: { readonly [K in Exclude<keyof MetagptProfile, 'name'>]: History<MetagptProfile[K]> } = {
  resultRole: [
    ['v0.8.1', 'profile'],
    ['main', 'assistant'],
  ],
  emptyResult: [
    ['v0.8.1', 'validation-error'],
    ['v0.8.2', 'empty-text'],
  ],
  membersKeyedBy: [
    ['v0.8.1', 'profile'],
    ['main', 'name'],
  ],

  observeKeeps: [
    ['v0.8.1', 'everything'],
    ['main', 'news'],
  ],
  memoryFilterSwitch: [
    ['v0.8.1', false],
    ['main', true],
  ],
  recoveredObserves: [
    ['v0.8.1', 'latest'],
    ['v0.8.2', 'latest-unless-known'],
  ],
  publishing: [
    ['v0.8.1', 'broadcast'],
    ['main', 'routed'],
  ],

  noTodo: [
    ['v0.8.1', 'stop'],
    ['v0.8.2', 'crash'],
  ],
  byOrder: [
    ['v0.8.1', 'own-loop'],
    ['v0.8.2', 'think'],
  ],

  planning: [
    ['v0.8.1', 'every-run'],
    ['v0.8.2', 'without-goal'],
  ],
  planTemplate: [
    ['v0.8.1', 'indented'],
    ['main', 'flush'],
  ],
  planFence: [
    ['v0.8.1', 'backticks'],
    ['main', 'line-feed-and-backticks'],
  ],
  developSoftwareType: [
    ['v0.8.1', false],
    ['main', true],
  ],
  taskAssignee: [
    ['v0.8.1', false],
    ['main', true],
  ],
  taskResult: [
    ['v0.8.1', 'replaces'],
    ['main', 'appended'],
  ],
  singleTask: [
    ['v0.8.1', 'whole'],
    ['main', 'without-type-and-result'],
  ],
  planUpkeep: [
    ['v0.8.1', 'lazy'],
    ['main', 'sorts-and-cascades'],
  ],
  planResponse: [
    ['v0.8.1', 'user-without-sender'],
    ['main', 'assistant-with-sender'],
  ],

  chapters: [
    ['v0.8.1', 'nested'],
    ['v0.8.2', 'appended'],
  ],
}

/** The differences as they are in one version, named `main` or `metagpt@main`. Unknown names give `null`. */
export function metagptProfileNamed(name: string): MetagptProfile | null {
  const short = name.startsWith('metagpt@') ? name.slice('metagpt@'.length) : name
  return METAGPT_PROFILES.get(short) ?? null
}

/** All profiles, newest first. */
export const METAGPT_PROFILES: ReadonlyMap<string, MetagptProfile> = new Map(
  METAGPT_PROFILE_NAMES.map((name) => [name, profileAt(name)]),
)

function profileAt(name: MetagptProfileName): MetagptProfile {
  const rows = Object.entries(HISTORY).map(([key, history]) => [key, valueAt(history as History<unknown>, name)])
  return { name, ...(Object.fromEntries(rows) as Omit<MetagptProfile, 'name'>) }
}

function valueAt<T>(history: History<T>, name: MetagptProfileName): T {
  const reached = history.filter(([since]) => ordinal(since) <= ordinal(name))
  const last = reached.at(-1)
  if (last === undefined) throw new Error(`callspec: a difference has no value for ${name}`)
  return last[1]
}

/** Older versions have smaller numbers. */
function ordinal(name: MetagptProfileName): number {
  return METAGPT_PROFILE_NAMES.length - METAGPT_PROFILE_NAMES.indexOf(name)
}
