/** The endpoint of an episode is gone, and none that is left is the same: its turns so far say nothing about the next one. */
export class BeginAnew extends Error {
  constructor() {
    super('callspec: the episode begins anew on another endpoint')
    this.name = 'BeginAnew'
  }
}
