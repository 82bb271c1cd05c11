import type { EpisodeKey, RunModel, Suite } from '@callspec/eval'
import type { ServerIdentity } from '@callspec/eval/worker-parts'
import type { Build, ServerOfModel } from '../redis/builds.ts'
import type { NamedServers } from '../redis/servers.ts'
import type { Place } from './own-servers.ts'

/** How the models of a run are asked from here. */
export interface ReachedRun {
  readonly suite: Suite
  /** @param endpoint where the episode was played so far, by the name that it has here; null for nowhere here */
  readonly modelFor: (key: EpisodeKey, endpoint?: string | null) => RunModel
  /** Where an episode goes on that the server of a name began. */
  readonly placeAfter: (
    key: EpisodeKey,
    before: { readonly name: string; readonly identity: ServerIdentity | null },
  ) => Place
  /** What the servers say of themselves, by the names that the journal gives them. */
  readonly servers: NamedServers
  /** What the engines say of their builds. */
  readonly builds: readonly Build[]
  /** What each server of each model says of itself; null for one that does not answer. */
  readonly identities: () => Promise<readonly ServerOfModel[]>
}
