import { fill } from '@callspec/python'
import type { MetagptProfile } from './profile.ts'

/** How a role introduces itself (MetaGPT spec §2). */
const PREFIX_TEMPLATE = 'You are a {profile}, named {name}, your goal is {goal}. '

const CONSTRAINT_TEMPLATE = 'the constraint is {constraints}. '

const ENVIRONMENT_TEMPLATE = 'You are in {description} with roles({names}).'

/** Who a role is. */
export interface RoleSetting {
  readonly name: string
  /** What the role is by trade; not a version of MetaGPT. */
  readonly profile: string
  readonly goal: string
  readonly constraints: string
  /** Replaces the whole prefix when it is not empty. */
  readonly description: string
  /** Such as `metagpt.roles.role.Role`. */
  readonly classPath: string
}

/** What a role sees of the environment that it is in. */
export interface RoleSurroundings {
  readonly description: string
  /** All members in the order in which they joined, the role itself among them. */
  readonly members: readonly { readonly name: string; readonly profile: string }[]
}

/**
 * The prefix of a role (MetaGPT spec §2): the system message of its model and of every action's model, and the beginning
 * of the state prompt. Nothing is trimmed, and values are not filled in a second time.
 */
export function rolePrefix(role: RoleSetting, surroundings: RoleSurroundings | null, version: MetagptProfile): string {
  if (role.description !== '') return role.description
  const { name, profile, goal, constraints } = role
  const own = fill(PREFIX_TEMPLATE, { profile, name, goal })
  const limits = constraints === '' ? '' : fill(CONSTRAINT_TEMPLATE, { constraints })
  if (surroundings === null || surroundings.description === '') return own + limits
  const names = memberNames(surroundings, version).filter((other) => other !== name)
  return own + limits + fill(ENVIRONMENT_TEMPLATE, { description: surroundings.description, names: names.join(', ') })
}

/** `name(profile)`, by which a role signs. */
export function roleSignature({ name, profile }: RoleSetting): string {
  return `${name}(${profile})`
}

/** A member that has the key of an earlier one takes its place. */
function memberNames({ members }: RoleSurroundings, { membersKeyedBy }: MetagptProfile): readonly string[] {
  return [...new Map(members.map((member) => [member[membersKeyedBy], member.name])).values()]
}
