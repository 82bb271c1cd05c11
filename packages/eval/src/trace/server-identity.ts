/** What a server says of itself. */
export interface ServerIdentity {
  /** The build of its engine; null where it does not say. */
  readonly build: string | null
  /** Its models, by id, with what else tells two of one name apart; sorted. */
  readonly models: readonly string[]
}

/** Whether an episode that was begun with one can go on with the other. Nobody knows of a server that did not answer. */
export function isSameServer(one: ServerIdentity | null, other: ServerIdentity | null): boolean {
  return one !== null && other !== null && identityText(one) === identityText(other)
}

/** One text per identity. */
export function identityText({ build, models }: ServerIdentity): string {
  return JSON.stringify([build, models])
}
