import { MachineryError } from './machinery-error.ts'

/** An implementation cannot be asked: nothing can be said about its answers. Ends a command with exit code 3. */
export class BrokenImplementation extends MachineryError {
  constructor(message: string) {
    super(message)
    this.name = 'BrokenImplementation'
  }
}
