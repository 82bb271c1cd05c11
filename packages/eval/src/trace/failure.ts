/**
 * Why there is no completion.
 *
 * - `infra`: the server or the way to it failed, after every retry
 * - `context`: the prompt is too long for the model
 * - `refused`: a content filter
 * - `configuration`: wrong key, wrong model, wrong address, no credit; more requests will not help
 * - `unreachable`: nobody listens there
 * - `never-ends`: content came, and had not ended when the time-out or the size limit cut it. Whether that is the model's, see
 *   `broken-causes.ts`
 * - `unparsed-output`: the model answered, and the server could not read its calls
 *
 * The last two are replies of the model: what came of them is kept, and asking again would hide them. See `isOfModel`.
 */
export interface Failure {
  readonly kind: 'infra' | 'context' | 'refused' | 'configuration' | 'unreachable' | 'never-ends' | 'unparsed-output'
  readonly status: number | null
  /** One line; quotes at most 160 characters of what the server said. */
  readonly message: string
}

/** Whether the model did answer: such a failure is a reply, it counts in every rate and is never asked for again. */
export function isOfModel({ kind }: Pick<Failure, 'kind'>): boolean {
  return kind === 'never-ends' || kind === 'unparsed-output'
}
