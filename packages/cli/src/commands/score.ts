import { protocolReader, readLines, scoreOutputs, TEXT_FIELDS } from '@callspec/eval'
import type { OutputReader, OutputsSummary, Protocol } from '@callspec/eval'
import type { Command, Invocation } from '../command.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { printScore } from '../eval/print-score.ts'
import { userReader } from '../eval/user-reader.ts'
import { chooseModule } from '../formats.ts'
import { isModulePath } from '../module-file.ts'
import { TemplateError } from '../render/user-format.ts'
import { messageOf, systemCode, UsageError } from '../usage-error.ts'

const PROTOCOL_OF: ReadonlyMap<string, Protocol> = new Map([
  ['nous', 'fncall-nous'],
  ['hermes', 'fncall-nous'],
  ['qwen', 'fncall-qwen'],
  ['react', 'react'],
])

const KNOWN = [...PROTOCOL_OF.keys()].join(', ')

export const command: Command = {
  name: 'score',
  usage: [
    'score --format NAME --outputs FILE.jsonl[.gz] [options]',
    'score --format ./my-format.mjs --outputs FILE.jsonl[.gz] [options]',
  ],
  about:
    'Says how many recorded outputs of real models can be parsed, strictly and with named repairs, per model, with ' +
    'what failed and why. Reads JSON Lines as a stream, packed or not, of any size. The text of a row stands under ' +
    `${TEXT_FIELDS.join(', ')} (the first that is there). Rows that name another "format" are counted, not parsed.`,
  options: {
    format: {
      help: `Format of the outputs: ${KNOWN}, or a module with a PromptFormat as its export "format". hermes is another name for nous.`,
      value: 'NAME',
    },
    outputs: { help: 'File of recorded outputs, or - for standard input.', value: 'FILE' },
    field: { help: 'Member of a row that holds the text.', value: 'NAME' },
    json: { help: 'Print the summary as JSON instead of tables.' },
  },
  examples: [
    'callspec score --format nous --outputs outputs.jsonl',
    'callspec score --format ./my-format.mjs --outputs outputs.jsonl',
    'callspec score --format react --outputs log.jsonl --field completion --json',
  ],
  notes: [
    'Optional members of a row: id, model, format (hermes and hermes_tool_call_xml are nous), functions. A row without ' +
      'a call counts neither as success nor as failure.',
    'With a module, strict parse means: "parse" gives kind "parsed", a call, and no issue (other than ' +
      'text-after-call-dropped and partial-stop-word); parse means: a call was found all the same. Issue codes are the ' +
      'reasons. An exception of the module fails its row.',
    'Exit codes: 0 rows were scored, 2 none was.',
  ],
  run,
}

/** So many unreadable lines are named; all are counted. */
const NAMED = 10

async function run({ options, output }: Invocation): Promise<ExitCode> {
  const format = options.text('format')
  const path = options.text('outputs')
  const field = options.text('field')
  if (format === null || format === '') throw new UsageError(`--format is missing. Known formats: ${KNOWN}.`)
  if (path === null || path === '')
    throw new UsageError('--outputs is missing: a file of JSON Lines, or - for standard input')
  if (field === '') throw new UsageError('--field was given an empty text. Name the member that holds the text.')
  const reader = await readerOf(format)
  let unreadable = 0
  const summary = await scored(path, () =>
    scoreOutputs(readLines(path), {
      reader,
      field,
      onLine: (line) => {
        if (line % 20_000 === 0) output.progress(`${line} lines`)
      },
      onUnreadable: (line, reason) => {
        unreadable += 1
        if (unreadable <= NAMED) output.warn(`${path}:${line}: ${reason}`)
      },
    }),
  )
  output.progressDone()
  if (unreadable > NAMED) output.warn(`${path}: ${unreadable - NAMED} more lines cannot be read`)
  printScore({ summary, asJson: options.flag('json') }, output)
  if (summary.scored > 0) return EXIT.ok
  const hint =
    summary.otherFormats > 0 ? 'Its rows name other formats.' : '--field names the member that holds the text.'
  output.note(`callspec: ${path}: no row of the format ${format} was found. ${hint}`)
  return EXIT.usage
}

async function readerOf(format: string): Promise<OutputReader> {
  if (isModulePath(format)) return userReader(await chooseModule(format, null))
  const protocol = PROTOCOL_OF.get(format)
  if (protocol !== undefined) return protocolReader(protocol)
  throw new UsageError(`--format "${format}" is unknown. Known: ${KNOWN}; or a file such as ./my-format.mjs.`)
}

async function scored(path: string, score: () => Promise<OutputsSummary>): Promise<OutputsSummary> {
  try {
    return await score()
  } catch (error) {
    if (error instanceof TemplateError) throw new UsageError(error.message)
    const code = systemCode(error)
    if (code === null) throw error
    if (code === 'ENOENT')
      throw new UsageError(`${path}: no such file. Give a file of JSON Lines, or - for standard input.`)
    if (code === 'EISDIR')
      throw new UsageError(`${path}: this is a folder. Give a file of JSON Lines, or - for standard input.`)
    throw new UsageError(
      code.startsWith('Z_')
        ? `${path}: the packed data is damaged (${messageOf(error)})`
        : `${path}: cannot be read (${messageOf(error)})`,
    )
  }
}
