import { parseRecord } from './record.ts'
import { shapeOf } from './shapes.ts'
import type { OutputShape } from './shapes.ts'

/** What the first records of a file look like. */
export type Recognised =
  { readonly kind: 'shape'; readonly shape: OutputShape; readonly records: AsyncIterable<string> } | Unrecognised

/** Nothing that is known here. */
export interface Unrecognised {
  readonly kind: 'unknown'
  /** The first record with anything in it, counted from 1; null where there is none at all. */
  readonly at: number | null
  readonly reason: string
  /** The members of that record, where it is an object. */
  readonly members: readonly string[]
}

/** So many records without a shape, or so many UTF-16 units of them, are looked at before a file is given up. */
const [MOST_RECORDS, MOST_UNITS] = [1000, 10_000_000]

/** Finds the shape of a file by the first record that has one. The records come again, from the first one on. */
export async function recogniseShape(records: AsyncIterable<string>): Promise<Recognised> {
  const iterator = records[Symbol.asyncIterator]()
  const seen: string[] = []
  let units = 0
  let first: Unrecognised = { kind: 'unknown', at: null, reason: 'it holds no rows', members: [] }
  while (seen.length < MOST_RECORDS && units < MOST_UNITS) {
    const next = await iterator.next()
    if (next.done === true) break
    seen.push(next.value)
    units += next.value.length
    if (next.value.trim() === '') continue
    const record = parseRecord(next.value)
    const shape = record.kind === 'object' ? shapeOf(record.value) : null
    if (shape !== null) return { kind: 'shape', shape, records: replayed(seen, iterator) }
    if (first.at === null) first = unknown(seen.length, record)
  }
  await iterator.return?.()
  return first
}

function unknown(at: number, record: ReturnType<typeof parseRecord>): Unrecognised {
  return record.kind === 'object'
    ? { kind: 'unknown', at, reason: 'no recorded output that is known here', members: Object.keys(record.value) }
    : { kind: 'unknown', at, reason: record.reason, members: [] }
}

async function* replayed(seen: readonly string[], rest: AsyncIterator<string>): AsyncGenerator<string> {
  try {
    yield* seen
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}
