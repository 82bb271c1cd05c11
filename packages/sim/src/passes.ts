import type { Reference } from './reference.ts'

/** One task in one pass over the suite: what quotas count. */
export interface EpisodeId {
  readonly reference: Reference
  readonly sample: number
}

/** The passes that a run will make: pass k asks with seed + k. Known only where somebody said so. */
export interface Passes {
  readonly seed: number
  readonly repeat: number
}

/** The episodes that share a quota with a sample: those of all passes, or of this pass alone where the others are not known. */
export function episodesAround(
  references: readonly Reference[],
  { sample, passes }: { readonly sample: number; readonly passes: Passes | null },
): readonly EpisodeId[] {
  const samples =
    passes !== null && isKnown(passes, sample)
      ? Array.from({ length: passes.repeat }, (_, pass) => passes.seed + pass)
      : [sample]
  return samples.flatMap((each) => references.map((reference) => ({ reference, sample: each })))
}

/** Whether a sample is one of the passes that a run will make. */
export function isKnown(passes: Passes | null, sample: number): boolean {
  return passes !== null && sample >= passes.seed && sample < passes.seed + passes.repeat
}

/** One text per episode. */
export function episodeKey(task: string, sample: number): string {
  return `${sample}\u001f${task}`
}
