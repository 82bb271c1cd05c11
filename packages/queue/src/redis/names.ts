import { randomBytes } from 'node:crypto'
import { NAME_LENGTH } from './rows.ts'

/** So many names are drawn at once: asking the system for each costs more than all else about a row. */
const DRAWN = 256
const BYTES = NAME_LENGTH / 2

/** Gives names that no other process gives, one after the other. */
function createNames(): () => string {
  let [pool, at] = ['', 0]
  return () => {
    if (at >= pool.length) [pool, at] = [randomBytes(DRAWN * BYTES).toString('hex'), 0]
    at += NAME_LENGTH
    return pool.slice(at - NAME_LENGTH, at)
  }
}

/** A new name. */
export const newName: () => string = createNames()
