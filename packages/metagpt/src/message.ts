import type { PyLiteral, PyLiteralDict, PyDict } from '@callspec/python'
import { isLiteralDict, isLiteralList, isTagged, repr } from '@callspec/python'
import { TO_ALL, USER_REQUIREMENT } from './class-paths.ts'

/** A message between roles (MetaGPT spec §1). */
export interface RoleMessage {
  /** Given by the caller as text; a number where the reference draws a random one. Two messages never share a number. */
  readonly id: string | number
  readonly content: string
  /** Structured content; where it is, nobody sees `content`. */
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

/** What is known of a message before it has an id; what is absent gets its default. */
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
