import type { Failure } from '@callspec/eval'

/** A worker that cannot ask: its server is not there, or refuses its key. Others may be able to. */
export class WorkerUnfit extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.name = 'WorkerUnfit'
    this.failure = failure
  }
}
