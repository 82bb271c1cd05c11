import { profileNamed } from '@callspec/core/qwen-agent'

/**
 * The name of a profile as it travels: versions of Qwen-Agent get the name of the program in front (`qwen-agent@main`),
 * everything else (`strict`, `lenient:repair`, `metagpt@v0.8.1`) is as it is written.
 */
export function wireProfile(profile: string): string {
  const known = profileNamed(profile)
  return known === null ? profile : `qwen-agent@${known.name}`
}

/** The name of a profile as cases have it: the inverse of `wireProfile`. */
export function caseProfile(profile: string): string {
  return profileNamed(profile)?.name ?? profile
}

/** The profile of well-formed texts: one right answer, whoever reads them. */
export const STRICT = 'strict'

/** The policy of callspec's own readers: a reply that lacks a piece of its format is read where only one call can be meant. */
export const OWN_POLICY = 'lenient:callspec'
