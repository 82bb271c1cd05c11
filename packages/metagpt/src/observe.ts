import type { RoleDraft } from './draft.ts'
import { change } from './draft.ts'
import { isRemembered, remember } from './memory.ts'
import type { RoleMessage } from './message.ts'
import { watchedBy } from './role.ts'

/**
 * Takes what has arrived and remembers it; tells whether there is news (MetaGPT spec §4).
 *
 * News has a cause that the role watches, or the role's name among its addressees (its class path and `<all>` do not
 * count), and is not in memory yet.
 */
export function observe(draft: RoleDraft): boolean {
  const { config, state } = draft
  const arrived = takeArrived(draft)
  const watched = new Set(watchedBy(config))
  const isUnfiltered = config.filtersByMemory === false && config.version.memoryFilterSwitch
  const known = isUnfiltered ? [] : state.memory
  const news = arrived.filter(
    (message) =>
      (watched.has(message.causeBy) || message.sendTo.includes(config.setting.name)) && !isRemembered(known, message),
  )
  const keepsAll = config.observesAll === true || config.version.observeKeeps === 'everything'
  const memory = (keepsAll ? arrived : news).reduce(remember, draft.state.memory)
  change(draft, { memory, latestObserved: news.at(-1) ?? null })
  return news.length > 0
}

/** A role that was recovered looks at what it was told last before it looks into its queue. */
function takeArrived(draft: RoleDraft): readonly RoleMessage[] {
  const { config, state } = draft
  const { latestObserved, memory, queue } = state
  if (state.isRecovered && latestObserved !== null) {
    const isKnown =
      config.version.recoveredObserves === 'latest-unless-known' && isRemembered(memory.slice(-10), latestObserved)
    if (!isKnown) return [latestObserved]
  }
  change(draft, { queue: [] })
  return queue
}
