import { TO_ALL } from './class-paths.ts'
import type { RoleMessage } from './message.ts'

/** Where roles meet: who is there, and what was published (MetaGPT spec §4). */
export interface Environment {
  readonly members: readonly EnvironmentMember[]
  /** Everything that was published, oldest first. */
  readonly history: readonly RoleMessage[]
}

/** Someone in an environment, with the messages that are waiting for them. */
export interface EnvironmentMember {
  readonly name: string
  readonly addresses: readonly string[]
  readonly inbox: readonly RoleMessage[]
}

/** The environment after a message was published: it waits for everybody whom it is addressed to, the sender included. */
export function publishTo(environment: Environment, message: RoleMessage): Environment {
  return {
    members: environment.members.map((member) =>
      isAddressedTo(message, member.addresses) ? { ...member, inbox: [...member.inbox, message] } : member,
    ),
    history: [...environment.history, message],
  }
}

/** Whether a message is for somebody with these addresses. */
export function isAddressedTo({ sendTo }: RoleMessage, addresses: readonly string[]): boolean {
  return sendTo.includes(TO_ALL) || addresses.some((address) => sendTo.includes(address))
}
