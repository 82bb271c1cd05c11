/** A run that was not to go on: nothing more was begun, and everything so far is in its folder, which can go on. */
export class RunStopped extends Error {
  /** @param why one sentence, without its full stop */
  constructor(why: string) {
    super(why)
    this.name = 'RunStopped'
  }
}
