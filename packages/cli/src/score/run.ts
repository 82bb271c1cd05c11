import { statSync } from 'node:fs'
import type { JsonRecords, OnRead } from '@callspec/eval'
import type { OutputShape } from '@callspec/eval/outputs'
import { readLines, readText } from '@callspec/eval'
import { OUTPUT_SHAPES } from '@callspec/eval/outputs'
import { plural } from '@callspec/eval/text'
import type { ExitCode, Invocation } from '../command.ts'
import { EXIT } from '../command.ts'
import { unreadableFile } from '../input-file.ts'
import type { Output } from '../output.ts'
import { messageOf, systemCode, UsageError } from '../usage-error.ts'
import { workProgress } from '../work-progress.ts'

export type ScoreKind = OutputShape | 'bfcl' | 'qwen-exam'

export const SCORE_KINDS: readonly ScoreKind[] = [...OUTPUT_SHAPES.toSorted(), 'bfcl', 'qwen-exam']

/** The file to score, with its progress callbacks. */
export interface ScoreRun {
  /** Null: found by the first rows. */
  readonly kind: ScoreKind | null
  readonly path: string
  readonly onRead: OnRead
  readonly onLine: (line: number) => void
  /** `unit`: what the records of the file are called; lines by default. */
  readonly onUnreadable: (line: number, reason: string, unit?: JsonRecords['unit']) => void
  /** Clears the progress and prints the number of unreadable lines that were not named. */
  readonly done: () => void
}

/** @throws UsageError without a file, or with two */
export function scoreRunOf({ options, output, positionals }: Invocation): ScoreRun {
  const path = outputsPath(positionals[0] ?? null, options.text('outputs'))
  return { kind: SCORE_KINDS.find((kind) => kind === options.text('kind')) ?? null, path, ...recordWatch(path, output) }
}

export type RecordWatch = Pick<ScoreRun, 'onRead' | 'onLine' | 'onUnreadable' | 'done'>

/** Shows progress and names the first unreadable records. */
export function recordWatch(path: string, output: Output): RecordWatch {
  let unreadable = 0
  const progress = workProgress({ output, noun: 'line' })
  const { onRead, share } = readShare(path)
  return {
    onRead,
    onLine: (line) => progress.step(line, share()),
    onUnreadable: (line, reason, unit = 'line') => {
      unreadable += 1
      if (unreadable <= NAMED_LINES) output.warn(`${recordLocation(path, line, unit)}: ${reason}`)
    },
    done: () => {
      output.progressDone()
      if (unreadable > NAMED_LINES)
        output.warn(`${path}: ${plural(unreadable - NAMED_LINES, 'more line')} cannot be read`)
    },
  }
}

/** Above this share of unreadable rows there is no verdict. */
const MOST_UNREADABLE = 0.1

/** The exit code after scoring; prints a note if too many rows are unreadable. */
export function exitOfRows(
  { rows, unreadable }: { readonly rows: number; readonly unreadable: number },
  path: string,
  output: Output,
): ExitCode {
  if (unreadable <= MOST_UNREADABLE * rows) return EXIT.ok
  output.note(
    `callspec: ${path}: ${unreadable} of ${plural(rows, 'row')} cannot be read: the figures cover only the others. Repair the file, or ` +
      'describe it with --kind and --field.',
  )
  return EXIT.broken
}

/** The location of a record for messages: `FILE:3`, or `FILE: element 3`. */
export function recordLocation(path: string, at: number, unit: JsonRecords['unit']): string {
  return unit === 'line' ? `${path}:${at}` : `${path}: element ${at}`
}

function outputsPath(positional: string | null, option: string | null): string {
  if (positional !== null && option !== null)
    throw new UsageError(`two files are given, "${positional}" and --outputs "${option}". Give one.`)
  const path = positional ?? option ?? ''
  if (path !== '') return path
  throw new UsageError('which file? Give one of recorded outputs, or - for standard input: callspec score FILE.')
}

/** Unreadable lines that are named; all are counted. */
export const NAMED_LINES = 10

/**
 * The lines of a file, packed or not; `-` is standard input.
 *
 * @throws UsageError for a missing file, a folder, or damaged packed data
 */
export function sourceLines(path: string, onRead?: OnRead): AsyncGenerator<string> {
  return readNamed(path, readLines(path, onRead))
}

/** Like `sourceLines`, in pieces. */
export function sourceText(path: string, onRead?: OnRead): AsyncGenerator<string> {
  return readNamed(path, readText(path, onRead))
}

/** How much of a file was read, from 0 to 1, as `onRead` was called; undefined where its size is not known. */
export function readShare(path: string): { readonly onRead: OnRead; readonly share: () => number | undefined } {
  const size = fileSize(path)
  let read = 0
  return { onRead: (bytes) => void (read = bytes), share: () => (size === null ? undefined : read / size) }
}

/** The size of a file in bytes; null for standard input and a pipe, of which it says nothing, and for what cannot be read. */
export function fileSize(path: string): number | null {
  if (path === '-') return null
  try {
    const file = statSync(path)
    return file.isFile() && file.size > 0 ? file.size : null
  } catch {
    // Reading it says why.
    return null
  }
}

async function* readNamed(path: string, texts: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    yield* texts
  } catch (error) {
    const code = systemCode(error)
    if (code === null) throw error
    throw code.startsWith('Z_')
      ? new UsageError(`${path}: the packed data is damaged (${messageOf(error)})`)
      : unreadableFile(path, error)
  }
}
