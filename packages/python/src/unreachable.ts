/** Marks the end of an exhaustive `switch`: the compiler rejects a case that nobody handles. */
export function unreachable(value: never): never {
  throw new Error(`callspec: nobody handles ${String(value)}. This is a defect of callspec, please report it.`)
}
