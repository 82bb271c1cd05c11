/** The machinery itself does not work, so nothing can be said about any case. Ends a command with exit code 3. */
export class MachineryError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'MachineryError'
  }
}

/** An implementation cannot be asked: nothing can be said about its answers. Ends a command with exit code 3. */
export class BrokenImplementation extends MachineryError {
  constructor(message: string) {
    super(message)
    this.name = 'BrokenImplementation'
  }
}
