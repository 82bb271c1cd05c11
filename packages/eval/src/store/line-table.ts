/** Where lines stand in a file, in chains. Some bytes per line: a journal has hundreds of thousands. */
export interface LineTable {
  /** Puts a line at the end of a chain, or begins one with it; gives back the chain. */
  append(chain: LineChain | null, line: LinePlace): LineChain
  /** The lines of a chain, first to last. */
  lines(chain: LineChain): Iterable<LinePlace>
}

/** A line in the file, in bytes, and the turn that it is about. */
export interface LinePlace {
  readonly offset: number
  readonly length: number
  readonly turn: number
}

/** The first and the last line of a chain, by their numbers in the table. */
export interface LineChain {
  readonly first: number
  readonly last: number
}

const NONE = -1
const FIRST_SIZE = 1024

/** An empty table. */
export function createLineTable(): LineTable {
  let offsets = new Float64Array(FIRST_SIZE)
  let numbers = new Int32Array(3 * FIRST_SIZE)
  let count = 0
  const grow = (): void => {
    const [wider, longer] = [new Float64Array(2 * offsets.length), new Int32Array(2 * numbers.length)]
    wider.set(offsets)
    longer.set(numbers)
    offsets = wider
    numbers = longer
  }
  return {
    append: (chain, { offset, length, turn }) => {
      if (count === offsets.length) grow()
      const at = count
      count += 1
      offsets[at] = offset
      numbers.set([length, turn, NONE], 3 * at)
      if (chain === null) return { first: at, last: at }
      numbers[3 * chain.last + 2] = at
      return { first: chain.first, last: at }
    },
    lines: function* ({ first }) {
      for (let at = first; at !== NONE; at = numbers[3 * at + 2] ?? NONE)
        yield { offset: offsets[at] ?? 0, length: numbers[3 * at] ?? 0, turn: numbers[3 * at + 1] ?? 0 }
    },
  }
}
