import { EARLY_POLICIES } from './early-end.ts'
import { ENDLESS_POLICIES } from './endless.ts'
import type { Policy } from './policy.ts'
import { WRONG_TURN_POLICIES } from './wrong-turn.ts'

/** Every policy but `oracle`, which is none of them: it solves every task as planned. */
export const POLICIES: ReadonlyMap<string, Policy> = new Map(
  [...ENDLESS_POLICIES, ...EARLY_POLICIES, ...WRONG_TURN_POLICIES].map((policy) => [policy.id, policy]),
)
