import type { PyLiteral, PyLiteralDict, PyDict } from '@callspec/python'
import { isLiteralDict, isLiteralList, isTagged, repr } from '@callspec/python'

/** A message between roles (MetaGPT spec §1). */
export interface RoleMessage {
  /** Given by the caller as text; a number where the reference draws a random one. Two messages never share a number. */
  readonly id: string | number
  readonly content: string
  /** Structured content. If present, no prompt contains `content`. */
  readonly instructContent: PyLiteralDict | null
  readonly role: string
  /** Class path of the action that made it. */
  readonly causeBy: string
  readonly sentFrom: string
  /** Class paths, names, or `<all>`; each once. */
  readonly sendTo: readonly string[]
  readonly metadata: PyDict
  /** Whether the reference's class is `AIMessage`, which alone gets `agent` as metadata. */
  readonly isAiMessage: boolean
}

/** The fields of a message before it has an id; absent fields get their defaults. */
export type MessageFields = Partial<RoleMessage>

/** A message with every field. An empty cause or address means the default, as in the reference. */
export function roleMessage(fields: MessageFields, id: number): RoleMessage {
  const { content = '', instructContent = null, role = 'user', sentFrom = '', metadata = new Map() } = fields
  const sendTo = fields.sendTo === undefined || fields.sendTo.length === 0 ? [TO_ALL] : [...new Set(fields.sendTo)]
  return {
    id: fields.id === undefined || fields.id === '' ? id : fields.id,
    content,
    instructContent,
    role,
    causeBy: fields.causeBy === undefined || fields.causeBy === '' ? USER_REQUIREMENT : fields.causeBy,
    sentFrom,
    sendTo,
    metadata,
    isAiMessage: fields.isAiMessage ?? false,
  }
}

/** The text form of a message: `<role>: <content>`, nothing quoted; structured content as a Python dict. */
export function messageText({ role, content, instructContent }: RoleMessage): string {
  return `${role}: ${instructContent === null ? content : repr(instructContent)}`
}

/** What `{history}` becomes: the text forms in brackets. Raw, so it cannot be taken apart again. */
export function historyText(messages: readonly RoleMessage[]): string {
  return `[${messages.map(messageText).join(', ')}]`
}

/** Whether two messages are the same for the reference: every field is equal, also the id. */
export function sameMessage(left: RoleMessage, right: RoleMessage): boolean {
  return (
    left === right ||
    (left.id === right.id &&
      left.content === right.content &&
      left.role === right.role &&
      left.causeBy === right.causeBy &&
      left.sentFrom === right.sentFrom &&
      left.isAiMessage === right.isAiMessage &&
      sameLiteral([...left.sendTo].sort(), [...right.sendTo].sort()) &&
      sameLiteral(left.metadata, right.metadata) &&
      // as in the reference: every structured content is of a class of its own, so it equals nothing but itself.
      left.instructContent === right.instructContent)
  )
}

function sameLiteral(left: PyLiteral, right: PyLiteral): boolean {
  if (isLiteralList(left) && isLiteralList(right)) {
    return left.length === right.length && left.every((item, at) => sameLiteral(item, right[at] ?? null))
  }
  if (isLiteralDict(left) && isLiteralDict(right)) {
    const other: PyLiteralDict = right
    return left.size === other.size && [...left].every(([key, item]) => sameLiteral(item, other.get(key) ?? null))
  }
  return isTagged(left) && isTagged(right) ? repr(left) === repr(right) : left === right
}

/** The memory with a message added; one that is in it already is not added again. */
export function remember(memory: readonly RoleMessage[], message: RoleMessage): readonly RoleMessage[] {
  return isRemembered(memory, message) ? memory : [...memory, message]
}

/** Whether an equal message is in the memory. */
export function isRemembered(memory: readonly RoleMessage[], message: RoleMessage): boolean {
  return memory.some((known) => sameMessage(known, message))
}

/** The memory without the first message that equals `message`. */
export function forget(memory: readonly RoleMessage[], message: RoleMessage): readonly RoleMessage[] {
  const at = memory.findIndex((known) => sameMessage(known, message))
  return at < 0 ? memory : memory.toSpliced(at, 1)
}

/** The memory after a message in it was changed: the reference keeps one object, so both places see the change. */
export function replaceRemembered(
  memory: readonly RoleMessage[],
  { before, after }: { readonly before: RoleMessage; readonly after: RoleMessage },
): readonly RoleMessage[] {
  return memory.map((known) => (known === before ? after : known))
}

/** Class paths of MetaGPT that appear as data in messages and prompts. */
export const USER_REQUIREMENT = 'metagpt.actions.add_requirement.UserRequirement'
export const PLAIN_ACTION = 'metagpt.actions.action.Action'
export const WRITE_PLAN = 'metagpt.actions.di.write_plan.WritePlan'
export const ASK_REVIEW = 'metagpt.actions.di.ask_review.AskReview'
export const TUTORIAL_ASSISTANT = 'metagpt.roles.tutorial_assistant.TutorialAssistant'
export const WRITE_DIRECTORY = 'metagpt.actions.write_tutorial.WriteDirectory'
export const WRITE_CONTENT = 'metagpt.actions.write_tutorial.WriteContent'

/** The address of all roles, and the address that a role uses for itself. */
export const TO_ALL = '<all>'
export const TO_SELF = '<self>'
