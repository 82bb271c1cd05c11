import type { RoleTask } from '../action.ts'
import type { RoleSurroundings, RoleSetting } from '../prefix.ts'
import type { MetagptProfile } from '../profile.ts'
import type { RoleConfig } from '../role.ts'
import { TUTORIAL_SETTING } from './tutorial.ts'

/** What can be told to a tutorial assistant. */
export interface TutorialOptions {
  readonly version: MetagptProfile
  /** Folder of the document, with the date in it where the reference has one. */
  readonly folder: string
  /** Used in the prompts only. Default: `Chinese`, as in the reference. */
  readonly language?: string
  readonly setting?: Partial<RoleSetting>
  readonly surroundings?: RoleSurroundings | null
}

/**
 * A tutorial assistant (MetaGPT spec §6): asks for a table of contents, then for each chapter, and puts them together.
 * It runs as any role does, with `startRole` and `advanceRole`; the document is in the state, and in `file` at the end.
 */
export function tutorialAssistant(options: TutorialOptions): RoleConfig {
  const writer: RoleTask = { kind: 'write-directory', language: options.language ?? 'Chinese' }
  return {
    version: options.version,
    setting: { ...TUTORIAL_SETTING, ...options.setting },
    actions: [writer],
    mode: 'by_order',
    surroundings: options.surroundings ?? null,
    tutorialFolder: options.folder,
  }
}
