import { Raise } from '@callspec/python'
import { TO_SELF } from './class-paths.ts'
import type { RoleDraft } from './draft.ts'
import { change } from './draft.ts'
import { replaceRemembered } from './memory.ts'
import type { RoleMessage } from './message.ts'
import { roleSignature } from './prefix.ts'
import type { RoleAction, RoleFinish, RoleFinishReason } from './role.ts'
import { tutorialPath } from './tutorial/tutorial.ts'

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
