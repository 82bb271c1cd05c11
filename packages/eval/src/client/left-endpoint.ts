import type { Failure } from '../trace/failure.ts'
import { CompletionError } from './failure.ts'

/** A request that was not made, or not again, because it can be made elsewhere. */
export class LeftEndpoint extends CompletionError {
  /** @param why what the endpoint failed with */
  constructor({ status, message }: Pick<Failure, 'status' | 'message'>) {
    super({ kind: 'unreachable', status, message: `does not answer any more (${message})` }, { isRetryable: false })
    this.name = 'LeftEndpoint'
  }
}
