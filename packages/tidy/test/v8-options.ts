const NODE = Number.parseInt(process.versions.node, 10)

/**
 * How V8 runs tests, of which most run a few times. Room for what lives short: it is collected less often, which is a twelfth of the
 * time. And no machine code but for what runs long: compiling it was a quarter. From Node 22 on V8 has a cheaper compiler for the
 * rest, and does not know this option any more.
 */
export const V8_OPTIONS: string[] = ['--max-semi-space-size=64', ...(NODE < 22 ? ['--interrupt-budget=1000000'] : [])]
