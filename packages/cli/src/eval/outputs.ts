import { extname } from 'node:path'
import type { Options } from '../command.ts'
import { UsageError } from '../usage-error.ts'
import { FILE_REPORTERS } from './reporters/reporter.ts'
import type { FileReporter } from './reporters/reporter.ts'

/** What is printed and which files are written besides those of the run folder. */
export interface Outputs {
  /** `table`, `json`, or nothing but where the results are. */
  readonly printed: 'table' | 'json' | 'none'
  readonly files: readonly OutputFile[]
  /** File names in the run folder. */
  readonly inFolder: readonly FileReporter[]
  readonly verbose: boolean
}

/** A file that was asked for with --output. */
export interface OutputFile {
  readonly path: string
  readonly reporter: FileReporter
}

const ENDINGS: ReadonlyMap<string, FileReporter> = new Map([
  ['.json', 'json'],
  ['.jsonl', 'jsonl'],
  ['.ndjson', 'jsonl'],
  ['.xml', 'junit'],
  ['.md', 'md'],
  ['.markdown', 'md'],
  ['.html', 'html'],
  ['.csv', 'csv'],
])

/**
 * Reads --output, --reporter, --json, --table and --verbose.
 *
 * @throws UsageError for a file whose ending says nothing
 */
export function readOutputs(options: Options): Outputs {
  const named = options.list('output')
  const reporters = options.list('reporter')
  const files = named.filter((path) => path !== '-').map(outputFile)
  const twin = files.find(({ path }, index) => files.findIndex((other) => other.path === path) < index)
  if (twin !== undefined) throw new UsageError(`--output ${twin.path} was given twice. Give it once.`)
  const json = options.flag('json') || named.includes('-')
  const table = options.choice('table') ?? (reporters.length === 0 || reporters.includes('table'))
  return {
    printed: json ? 'json' : table ? 'table' : 'none',
    files,
    inFolder: FILE_REPORTERS.filter((reporter) => reporters.includes(reporter)),
    verbose: options.flag('verbose'),
  }
}

function outputFile(path: string): OutputFile {
  const reporter = ENDINGS.get(extname(path).toLowerCase())
  if (reporter !== undefined) return { path, reporter }
  throw new UsageError(
    `--output ${path}: the ending says not what to write. Known: ${[...ENDINGS.keys()].join(', ')}, or - to print JSON.`,
  )
}
