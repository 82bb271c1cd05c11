/** What opens a section; `head` is its name, and perhaps its attributes. */
export function open(head: string): string {
  return `<|open|>${head}<|sep|>`
}

/** What closes a section. */
export function close(name: string): string {
  return `<|close|>${name}<|sep|>`
}

/** The types that an argument names; all but text are JSON. */
export const TYPES = ['string', 'integer', 'number', 'boolean', 'object', 'array', 'null'] as const
