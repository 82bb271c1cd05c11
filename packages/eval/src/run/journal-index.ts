import { fileLines } from './file-lines.ts'
import type { FileLine, OpenFile } from './file-lines.ts'
import { createLineTable } from './line-table.ts'
import type { LineChain, LinePlace, LineTable } from './line-table.ts'
import { isPlainLine } from './plain-line.ts'
import type { Plan } from './plan.ts'
import { RunError } from './run-error.ts'
import { schemaFault } from './schemas.ts'
import { isOutage } from './trace.ts'
import type { CallLine, EndLine, EpisodeKey, TraceLine, TurnLine } from './trace.ts'

/** One version of an episode. */
export interface EpisodeVersion {
  readonly turns: readonly TurnLine[]
  readonly calls: readonly CallLine[]
  /** Null for one that was interrupted. */
  readonly end: EndLine | null
}

/** Where everything stands in a journal. */
export interface JournalIndex {
  /** How many bytes hold whole lines; what stands behind them was torn. */
  readonly size: number
  /** Whether the last line lacks its line feed though it is whole. */
  readonly needsLineFeed: boolean
  readonly isTorn: boolean
  /** How many episodes have come to an end, and how many of them failed on the way to the server. */
  readonly ended: number
  readonly outages: number
  /** Whether an episode has a version that came to its end, and whether that failed; null where it has none. */
  endOf(key: EpisodeKey): { readonly isOutage: boolean } | null
  /** Reads the version that came to its end, or the one that was interrupted. Null where there is none. */
  read(key: EpisodeKey, which: 'ended' | 'begun', file: OpenFile): EpisodeVersion | null
}

/** Whose episodes they are. */
export interface IndexOptions {
  readonly plan: Pick<Plan, 'numberOf'>
  /** Says what is wrong with an episode, such as that nobody asked for it; null when nothing is. Asked once for each. */
  readonly check: (key: EpisodeKey) => string | null
}

/**
 * Reads a journal once and keeps where each episode stands; memory grows by some bytes per line, not with the texts.
 *
 * @throws RunError naming file and line for whatever this program would not have written
 */
export function indexJournal(path: string, { plan, check }: IndexOptions): JournalIndex {
  const table = createLineTable()
  const entries = new Map<number, Entry>()
  let [size, needsLineFeed] = [0, false]
  let torn: FileLine | null = null
  for (const line of fileLines(path)) {
    if (torn !== null) throw noJson(path, torn)
    const value = parsedLine(line, path)
    if (value === null) {
      torn = line
      continue
    }
    const where = `${path} line ${line.number}`
    const read = traceLine(value, where)
    const number = plan.numberOf(read) ?? -1
    let entry = entries.get(number)
    if (entry === undefined) {
      const fault = check(read)
      if (fault !== null) throw new RunError(`${where}: ${fault}. Was the folder changed by hand?`)
      entry = { ended: null, begun: null }
      entries.set(number, entry)
    }
    add(entry, { table, read, line, where })
    size = line.offset + line.length + (line.isEnded ? 1 : 0)
    needsLineFeed = !line.isEnded
  }
  const entryOf = (key: EpisodeKey): Entry | undefined => entries.get(plan.numberOf(key) ?? -1)
  return {
    ...{ size, needsLineFeed, isTorn: torn !== null },
    ...countEnds(entries.values()),
    endOf: (key) => entryOf(key)?.ended ?? null,
    read: (key, which, file) => {
      const version = entryOf(key)?.[which] ?? null
      return version === null ? null : readVersion(file, version.chain === null ? [] : table.lines(version.chain))
    },
  }
}

interface Entry {
  ended: Version | null
  begun: Version | null
}

interface Version {
  /** Null while it has no line. */
  readonly chain: LineChain | null
  readonly turns: number
  readonly isOutage: boolean
}

function countEnds(entries: Iterable<Entry>): Pick<JournalIndex, 'ended' | 'outages'> {
  let [ended, outages] = [0, 0]
  for (const { ended: version } of entries) {
    if (version !== null) ended += 1
    if (version?.isOutage === true) outages += 1
  }
  return { ended, outages }
}

function readVersion(file: OpenFile, lines: Iterable<LinePlace>): EpisodeVersion {
  const turns: TurnLine[] = []
  const calls: CallLine[] = []
  let end: EndLine | null = null
  for (const { offset, length } of lines) {
    const line = JSON.parse(file.textAt(offset, length)) as TraceLine
    if (line.kind === 'turn') turns.push(line)
    else if (line.kind === 'call') calls.push(line)
    else if (line.kind === 'end') end = line
  }
  return { turns, calls, end }
}

interface ReadLine {
  readonly table: LineTable
  readonly read: TraceLine
  readonly line: FileLine
  readonly where: string
}

/** Puts a line where it belongs; out of its order there is no place for it. */
function add(entry: Entry, { table, read, line, where }: ReadLine): void {
  if (read.kind === 'retry') {
    if (entry.ended?.isOutage !== true) throw outOfOrder(where, 'repeats an episode that had not failed')
    entry.begun = prefix(table, entry.ended, read.from)
    return
  }
  if (entry.begun === null && entry.ended !== null) throw outOfOrder(where, 'comes after the end of its episode')
  const begun = entry.begun ?? { chain: null, turns: 0, isOutage: false }
  const turn = read.kind === 'end' ? begun.turns : read.turn
  const expected = read.kind === 'call' ? begun.turns - 1 : begun.turns
  if (turn !== expected) throw outOfOrder(where, `is of turn ${turn}, and turn ${Math.max(0, expected)} was to come`)
  const chain = table.append(begun.chain, { offset: line.offset, length: line.length, turn })
  const isTurn = read.kind === 'turn'
  const version = {
    chain,
    turns: begun.turns + (isTurn ? 1 : 0),
    isOutage: isTurn ? isOutage([read]) : begun.isOutage,
  }
  entry.begun = read.kind === 'end' ? null : version
  // An episode that failed again leaves the version before as it was.
  if (read.kind === 'end' && (entry.ended === null || !version.isOutage)) entry.ended = version
}

/** The lines before a turn. */
function prefix(table: LineTable, { chain }: Version, from: number): Version {
  let kept: LineChain | null = null
  for (const line of chain === null ? [] : [...table.lines(chain)])
    if (line.turn < from) kept = table.append(kept, line)
  return { chain: kept, turns: from, isOutage: false }
}

function outOfOrder(where: string, what: string): RunError {
  return new RunError(`${where} ${what}. Was the file changed or put together by hand? "callspec merge" joins runs.`)
}

/** Null for a last line that was torn: by the end of the process, or by a power cut, which may leave zeros. */
function parsedLine(line: FileLine, path: string): unknown {
  try {
    return JSON.parse(line.text) as unknown
  } catch {
    if (!line.isEnded || line.text.includes('\0')) return null
    throw noJson(path, line)
  }
}

function noJson(path: string, { number }: FileLine): RunError {
  return new RunError(
    `${path} line ${number} is no JSON. Take it out with the lines of its episode behind it: --resume asks for them again.`,
  )
}

function traceLine(value: unknown, where: string): TraceLine {
  const kind = typeof value === 'object' && value !== null && 'kind' in value ? value.kind : null
  if (kind !== 'turn' && kind !== 'call' && kind !== 'end' && kind !== 'retry')
    throw new RunError(`${where} is no line of a run: its "kind" is none of turn, call, end, retry. Take it out.`)
  const fault = isPlainLine(kind, value as Readonly<Record<string, unknown>>) ? null : schemaFault(kind, value)
  if (fault !== null) throw new RunError(`${where} is not as it was written: ${fault}. Put back what was changed.`)
  return value as TraceLine
}
