/** A run over a queue that did not come to its end. Everything that was collected is in its folder, which can go on. */
export class QueueStopped extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'QueueStopped'
  }
}
