import type { RoleMessage } from './message.ts'
import { sameMessage } from './message.ts'

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
