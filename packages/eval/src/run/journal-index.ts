import { fileLines } from './file-lines.ts'
import type { FileLine, OpenFile } from './file-lines.ts'
import { RunError } from './run-error.ts'
import { schemaFault } from './schemas.ts'
import { isOutage, keyText } from './trace.ts'
import type { CallLine, EndLine, EpisodeKey, EpisodeTrace, TraceLine, TurnLine } from './trace.ts'

/** Where the lines of one version of an episode stand in the journal. */
export interface EpisodeLines {
  /** Offset, length and turn of each line, one behind the other: 100 000 of them are held at once. */
  readonly spans: readonly number[]
  readonly turns: number
  /** Whether its last turn failed on the way to the server. */
  readonly isOutage: boolean
}

/** What the journal holds of an episode. */
export interface EpisodeEntry {
  readonly key: EpisodeKey
  /** The version that counts; null while it has none that came to its end. */
  readonly ended: EpisodeLines | null
  /** The version that was interrupted; null where none was. */
  readonly begun: EpisodeLines | null
}

/** Where everything stands in a journal. */
export interface JournalIndex {
  /** By `keyText`. */
  readonly episodes: ReadonlyMap<string, EpisodeEntry>
  /** How many bytes hold whole lines; what stands behind them was torn. */
  readonly size: number
  /** Whether the last line lacks its line feed though it is whole. */
  readonly needsLineFeed: boolean
  readonly isTorn: boolean
}

/**
 * Reads a journal once and keeps where each episode stands; memory grows by some bytes per line, not with the texts.
 *
 * @param check says what is wrong with an episode, such as that nobody asked for it; null when nothing is
 * @throws RunError naming file and line for whatever this program would not have written
 */
export function indexJournal(path: string, check: (key: EpisodeKey) => string | null): JournalIndex {
  const episodes = new Map<string, Entry>()
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
    const id = keyText(read)
    let entry = episodes.get(id)
    if (entry === undefined) {
      entry = begin(read, check, where)
      episodes.set(id, entry)
    }
    add(entry, read, line, where)
    size = line.offset + line.length + (line.isEnded ? 1 : 0)
    needsLineFeed = !line.isEnded
  }
  return { episodes, size, needsLineFeed, isTorn: torn !== null }
}

/** Reads one version of an episode that has come to its end. */
export function readTrace(
  file: OpenFile,
  { key, lines }: { readonly key: EpisodeKey; readonly lines: EpisodeLines },
): EpisodeTrace {
  const { turns, calls, end } = readLinesOf(file, lines)
  if (end === null) throw new Error(`callspec: the episode ${keyText(key)} has no end`)
  return { key, turns, calls, end }
}

/** Reads what there is of an episode, in the order in which it was written. */
export function readLinesOf(
  file: OpenFile,
  { spans }: EpisodeLines,
): { readonly turns: readonly TurnLine[]; readonly calls: readonly CallLine[]; readonly end: EndLine | null } {
  const turns: TurnLine[] = []
  const calls: CallLine[] = []
  let end: EndLine | null = null
  for (let at = 0; at < spans.length; at += 3) {
    const line = JSON.parse(file.textAt(spans[at] ?? 0, spans[at + 1] ?? 0)) as TraceLine
    if (line.kind === 'turn') turns.push(line)
    else if (line.kind === 'call') calls.push(line)
    else if (line.kind === 'end') end = line
  }
  return { turns, calls, end }
}

interface Entry {
  readonly key: EpisodeKey
  ended: EpisodeLines | null
  begun: Growing | null
}

interface Growing {
  readonly spans: number[]
  turns: number
  isOutage: boolean
}

function begin(line: TraceLine, check: (key: EpisodeKey) => string | null, where: string): Entry {
  const { model, protocol, task, sample } = line
  const key = { model, protocol, task, sample }
  const fault = check(key)
  if (fault !== null) throw new RunError(`${where}: ${fault}. Was the folder changed by hand?`)
  return { key, ended: null, begun: null }
}

/** Puts a line where it belongs; out of its order there is no place for it. */
function add(entry: Entry, read: TraceLine, { offset, length }: FileLine, where: string): void {
  if (read.kind === 'retry') {
    if (entry.ended?.isOutage !== true) throw outOfOrder(where, 'repeats an episode that had not failed')
    entry.begun = prefix(entry.ended, read.from)
    return
  }
  if (entry.begun === null) {
    if (entry.ended !== null) throw outOfOrder(where, 'comes after the end of its episode')
    entry.begun = { spans: [], turns: 0, isOutage: false }
  }
  const { begun } = entry
  const turn = read.kind === 'end' ? begun.turns : read.turn
  const expected = read.kind === 'call' ? begun.turns - 1 : begun.turns
  if (turn !== expected) throw outOfOrder(where, `is of turn ${turn}, and turn ${Math.max(0, expected)} was to come`)
  begun.spans.push(offset, length, turn)
  if (read.kind === 'turn') {
    begun.turns += 1
    begun.isOutage = isOutage([read])
  }
  if (read.kind === 'end') close(entry, begun)
}

/** An episode that failed again leaves the version before as it was. */
function close(entry: Entry, lines: Growing): void {
  entry.begun = null
  if (entry.ended === null || !lines.isOutage) entry.ended = lines
}

/** The lines before a turn. */
function prefix({ spans }: EpisodeLines, from: number): Growing {
  const kept: number[] = []
  for (let at = 0; at < spans.length; at += 3) {
    const [offset = 0, length = 0, turn = 0] = spans.slice(at, at + 3)
    if (turn < from) kept.push(offset, length, turn)
  }
  return { spans: kept, turns: from, isOutage: false }
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
  const fault = schemaFault(kind, value)
  if (fault !== null) throw new RunError(`${where} is not as it was written: ${fault}. Put back what was changed.`)
  return value as TraceLine
}
