import { PROFILES } from '@callspec/core/qwen-agent'
import type { Profile, ProfileName } from '@callspec/core/qwen-agent'

/** The profile of that name. */
export function profile(name: ProfileName): Profile {
  const found = PROFILES.get(name)
  if (found === undefined) throw new Error(`no profile ${name}`)
  return found
}

export const MAIN: Profile = profile('main')
export const ALL_PROFILES: readonly Profile[] = [...PROFILES.values()]
