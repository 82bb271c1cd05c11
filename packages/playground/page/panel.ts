import type { PlaygroundState } from '../src/state/state.ts'

/** One side of the page. */
export interface Panel {
  readonly view: HTMLElement
  /** Shows a state. */
  readonly update: (state: PlaygroundState) => void
}
