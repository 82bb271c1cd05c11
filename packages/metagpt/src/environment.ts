import type { RoleMessage } from './message.ts'
import { TO_ALL, isRemembered, remember, TO_SELF, replaceRemembered } from './message.ts'
import type { RoleDraft } from './draft.ts'
import { change } from './draft.ts'
import type { RoleAction, RoleFinish, RoleFinishReason } from './role.ts'
import { watchedBy } from './role.ts'
import { Raise } from '@callspec/python'
import { roleSignature } from './prefix.ts'
import { tutorialPath } from './tutorial/tutorial.ts'

/** The members of an environment, and the messages published in it (MetaGPT spec §4). */
export interface Environment {
  readonly members: readonly EnvironmentMember[]
  /** Everything that was published, oldest first. */
  readonly history: readonly RoleMessage[]
}

/** A member of an environment, with the messages that it has not read yet. */
export interface EnvironmentMember {
  readonly name: string
  readonly addresses: readonly string[]
  readonly inbox: readonly RoleMessage[]
}

/** The environment after a message was published: in the inbox of every addressee, the sender included. */
export function publishTo(environment: Environment, message: RoleMessage): Environment {
  return {
    members: environment.members.map((member) =>
      isAddressedTo(message, member.addresses) ? { ...member, inbox: [...member.inbox, message] } : member,
    ),
    history: [...environment.history, message],
  }
}

/** Whether a message is for a member with these addresses. */
export function isAddressedTo({ sendTo }: RoleMessage, addresses: readonly string[]): boolean {
  return sendTo.includes(TO_ALL) || addresses.some((address) => sendTo.includes(address))
}

/**
 * Takes the messages that arrived and remembers them (MetaGPT spec §4). Returns whether there is news.
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

/** A recovered role reads the last message that it observed before its queue. */
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

/** The end of a run: the state is cleared, the response signed and published (MetaGPT spec §4). */
export function respond(draft: RoleDraft, reason: RoleFinishReason, response: RoleMessage): RoleAction {
  const { config } = draft
  change(draft, { state: -1, todo: null })
  const isSigned = config.version.resultRole === 'assistant' && response.isAiMessage
  const agent = roleSignature(config.setting)
  let sent = isSigned ? { ...response, metadata: new Map([...response.metadata, ['agent', agent] as const]) } : response
  const file = tutorialFile(draft)
  if (file !== null) sent = { ...sent, content: file.path }
  const { message, isPublished } = publish(draft, sent)
  // The reference's response is the very object that is in memory, so what is written on it is seen there too.
  change(draft, { memory: replaceRemembered(draft.state.memory, { before: response, after: message }) })
  const published = isPublished ? [message] : []
  return { type: 'finish', reason, response: message, published, file, error: null } satisfies RoleFinish
}

interface Publication {
  readonly message: RoleMessage
  /** Whether the environment is to distribute it. */
  readonly isPublished: boolean
}

function publish(draft: RoleDraft, given: RoleMessage): Publication {
  const { config } = draft
  const hasEnvironment = (config.surroundings ?? null) !== null
  if (config.version.publishing === 'broadcast') return { message: given, isPublished: hasEnvironment }
  const { classPath, name } = config.setting
  const sendTo = [...new Set(given.sendTo.map((to) => (to === TO_SELF ? classPath : to)))]
  const sentFrom = given.sentFrom === '' || given.sentFrom === TO_SELF ? classPath : given.sentFrom
  const message = { ...given, sendTo, sentFrom }
  if (sendTo.every((to) => to === classPath || to === name)) {
    change(draft, { queue: [...draft.state.queue, message] })
    return { message, isPublished: false }
  }
  return { message, isPublished: hasEnvironment }
}

/** Raises UnicodeEncodeError for a document with an unpaired surrogate: the reference writes UTF-8. */
function tutorialFile({ config, state }: RoleDraft): RoleFinish['file'] {
  const folder = config.tutorialFolder ?? null
  if (folder === null) return null
  const { document: text, halves = [] } = state.tutorial
  if (halves.length > 0 || /\p{Surrogate}/u.test(text)) {
    throw new Raise('UnicodeEncodeError', "'utf-8' codec can't encode: surrogates not allowed")
  }
  return { path: tutorialPath(folder, state.tutorial), text }
}
