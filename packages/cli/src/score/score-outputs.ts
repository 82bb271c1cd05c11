import { protocolReader, readLoggedReply, scoreOutputs } from '@callspec/eval'
import type { OutputReader, Protocol } from '@callspec/eval'
import type { Invocation } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import type { ExitCode } from '../exit-codes.ts'
import { chooseModule } from '../formats.ts'
import { isModulePath } from '../module-file.ts'
import { TemplateError } from '../render/user-format.ts'
import { UsageError } from '../usage-error.ts'
import { printOutputs } from './print-outputs.ts'
import type { ScoreRun } from './run.ts'
import { sourceLines } from './source-lines.ts'
import { userReader } from './user-reader.ts'

const PROTOCOL_OF: ReadonlyMap<string, Protocol> = new Map([
  ['nous', 'fncall-nous'],
  ['hermes', 'fncall-nous'],
  ['qwen', 'fncall-qwen'],
  ['react', 'react'],
  ['native', 'native'],
])

/** The formats by their names on the command line. */
export const OUTPUT_FORMATS: readonly string[] = [...PROTOCOL_OF.keys()]

/** Parse success of recorded outputs, or of the answers in a server's log. */
export async function scoreTexts({ options, output }: Invocation, run: ScoreRun): Promise<ExitCode> {
  const isLog = run.kind === 'openai'
  const format = options.text('format') ?? (isLog ? 'native' : null)
  const field = options.text('field')
  if (format === null || format === '')
    throw new UsageError(`--format is missing. Known formats: ${OUTPUT_FORMATS.join(', ')}.`)
  if (field === '') throw new UsageError('--field was given an empty text. Name the member that holds the text.')
  const reader = await readerOf(format)
  const summary = await failing(() =>
    scoreOutputs(sourceLines(run.path), {
      reader,
      field,
      onLine: run.onLine,
      onUnreadable: run.onUnreadable,
      ...(isLog ? { readRow: readLoggedReply } : {}),
    }),
  )
  run.done()
  printOutputs({ summary, asJson: options.flag('json') }, output)
  if (summary.scored > 0) return EXIT.ok
  const hint =
    summary.otherFormats > 0 ? 'Its rows name other formats.' : '--field names the member that holds the text.'
  output.note(`callspec: ${run.path}: no row of the format ${format} was found. ${hint}`)
  return EXIT.usage
}

async function readerOf(format: string): Promise<OutputReader> {
  if (isModulePath(format)) return userReader(await chooseModule(format, null))
  const protocol = PROTOCOL_OF.get(format)
  if (protocol !== undefined) return protocolReader(protocol)
  throw new UsageError(
    `--format "${format}" is unknown. Known: ${OUTPUT_FORMATS.join(', ')}; or a file such as ./my-format.mjs.`,
  )
}

async function failing<T>(score: () => Promise<T>): Promise<T> {
  try {
    return await score()
  } catch (error) {
    throw error instanceof TemplateError ? new UsageError(error.message) : error
  }
}
