import { setTimeout as pause } from 'node:timers/promises'

/** Waits until something holds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(20)
}
