import { metagptProfileNamed } from '../src/profile.ts'
import type { MetagptProfile, MetagptProfileName } from '../src/profile.ts'
import type { RoleSetting } from '../src/prefix.ts'
import type { RoleAction, RoleConfig, RoleEvent, RoleInput, RoleNote, RoleState } from '../src/role.ts'
import { newRole } from '../src/role.ts'
import { advanceRole, startRole } from '../src/run-role.ts'
import type { RoleTask } from '../src/action.ts'

export const ALICE: RoleSetting = {
  name: 'Alice',
  profile: 'Engineer',
  goal: 'ship code',
  constraints: '',
  description: '',
  classPath: 'app.Alice',
}

export function version(name: MetagptProfileName): MetagptProfile {
  const found = metagptProfileNamed(name)
  if (found === null) throw new Error(name)
  return found
}

/** Actions that ask the model, by name. */
export function asking(...names: readonly string[]): readonly RoleTask[] {
  return names.map((name) => ({ kind: 'ask', name, classPath: `app.${name}`, prompt: `do ${name}` }))
}

export function alice(name: MetagptProfileName, more: Partial<RoleConfig> = {}): RoleConfig {
  return { version: version(name), setting: ALICE, actions: asking('Foo', 'Bar'), ...more }
}

export interface Played {
  readonly state: RoleState
  readonly last: RoleAction
  /** Everything that the host was asked, the end not included. */
  readonly asked: readonly RoleAction[]
  readonly notes: readonly RoleNote[]
}

/** No run of a test needs as many; a loop without end fails instead of filling the memory. */
const MOST_STEPS = 1000

/** Runs a role to its end. `react` answers what the host is asked; null stops there. */
export function play(
  config: RoleConfig,
  react: (action: RoleAction, at: number) => RoleEvent | null,
  { input = 'hello', state = newRole(config) }: { readonly input?: RoleInput; readonly state?: RoleState } = {},
): Played {
  const asked: RoleAction[] = []
  const notes: RoleNote[] = []
  let step = startRole(config, state, input)
  for (;;) {
    notes.push(...step.notes)
    const event = step.action.type === 'finish' ? null : react(step.action, asked.length)
    if (event === null) return { state: step.state, last: step.action, asked, notes }
    asked.push(step.action)
    if (asked.length > MOST_STEPS) throw new Error('no end')
    step = advanceRole(config, step.state, event)
  }
}

/** A model that says these texts, one after the other. */
export function saying(...texts: readonly string[]): (action: RoleAction, at: number) => RoleEvent | null {
  return (_, at) => {
    const text = texts[at]
    return text === undefined ? null : { type: 'completion', text }
  }
}
