/** A file that keeps what was found. */
export interface MadeCase {
  /** Its name, without a folder. */
  readonly file: string
  readonly text: string
}
