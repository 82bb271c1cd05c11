import { loadFormat, versionFor } from '@callspec/core/formats'
import type { ToolSpec } from '@callspec/core/qwen-agent'
import { PROFILE_NAMES } from '@callspec/core/qwen-agent'
import { dumps } from '@callspec/python'
import type { Command, ExitCode, Invocation, Options, OptionTable } from '../command.ts'
import { EXIT } from '../command.ts'
import type { ChosenFormat } from '../formats.ts'
import { chooseFormat, EXAMPLE_FORMAT, WHICH_FORMAT } from '../formats.ts'
import { refuseFormatCode } from '../found-files.ts'
import type { SourceText } from '../input-file.ts'
import type { Output } from '../output.ts'
import { escapeLoneSurrogates } from '../output.ts'
import type { ParseSettings } from '../parse/parse-text.ts'
import { otherCallsLines, parseText, pieceReader, replyLines } from '../parse/parse-text.ts'
import type { LargeReply } from '../parse/print-large.ts'
import { LARGE_BYTES, openReply, wholeReply } from '../parse/reply-source.ts'
import { TemplateError } from '../render/user-format.ts'
import type * as RequestFiles from '../request/request-file.ts'
import type { RequestFile } from '../request/request-file.ts'
import { checkSettings, FORMAT_SETTINGS, mergeSettings, settingOptions } from '../request/settings.ts'
import { UsageError } from '../usage-error.ts'
import { openLineWriter, writeFileAtomically } from '../write-file.ts'

const PARSE_SETTINGS: OptionTable = {
  ...FORMAT_SETTINGS,
  profile: {
    value: 'NAME',
    help: `Version of the reference; of Qwen-Agent ${PROFILE_NAMES.join(', ')}. Default: strict, where the format has it.`,
  },
  'thought-in-content': {
    negatable: true,
    help: 'The text begins inside a thought that ends with </think>, in a format that has thoughts.',
  },
  stop: { value: 'WORD', repeat: true, help: "A stop word in addition to the format's own." },
  'stop-words': {
    negatable: true,
    help: "Cut the text at the format's stop words first, as the chat call does. Default: yes.",
  },
  tools: {
    value: 'FILE',
    help: 'The offered tools (JSON5): their schemas type values that are written as text.',
  },
  'raw-arguments': { negatable: true, help: 'Do not check whether the arguments of a call are JSON.' },
}

export const parseCommand: Command = {
  name: 'parse',
  usage: ['parse FILE [options]', 'parse [-] [options]    read standard input'],
  about:
    'Reads a reply of a model in a format, and prints its items: texts, thoughts, calls and issues. Without --format the format is ' +
    'identified first; without --profile the version strict is used if the format has one, and versions ' +
    'of the reference that read the text differently are listed. An issue says what was dropped, repaired or guessed, with UTF-16 offsets into the text: an error ' +
    '("severity": "error" in JSON) if a call or text was not read as written, else a note. The text is read exactly, with its last line break. ' +
    'Arguments of calls are text.',
  maxPositionals: 1,
  options: {
    ...settingOptions(PARSE_SETTINGS, {
      file: 'a file for --request',
      rare: ['function-choice', 'code-mode', 'raw-arguments'],
    }),
    request: {
      help: 'FILE is JSON5 with a key "text". The settings are also keys of it, and so are function_choice, code_mode and raw_arguments.',
    },
    as: { value: 'SHAPE', choices: ['json', 'lines'], help: 'JSON (the default), or a line per item for people.' },
    json: { help: 'The same as --as json.' },
    output: { short: 'o', value: 'FILE', help: 'Write the result to FILE instead of standard output.' },
  },
  examples: [
    `callspec parse answer.txt --format ${EXAMPLE_FORMAT} --as lines`,
    `printf '<tool_call>\\n{"name": "clock", "arguments": {}}\\n</tool_call>' | callspec parse -`,
  ],
  notes: [
    'Without --profile, a line on stderr counts the versions that read other calls. callspec identify lists them, and those that read another text.',
    'Exit codes: 0 read, also when there are issues; 1 the chosen version raises an exception on this text, printed ' +
      'as an outcome of kind "rejected"; 2 misuse.',
    'A reply above 4 MB is read in pieces, so that it needs little memory: its format is identified by the first megabyte, and other versions are ' +
      'not compared. Not with --request, --stop, --as lines, a module, or a version of Qwen-Agent.',
  ],
  run: printReplies,
}

async function printReplies({ positionals, options, output }: Invocation): Promise<ExitCode> {
  const isForPeople = options.text('as') === 'lines'
  if (isForPeople && options.flag('json'))
    throw new UsageError('--json and --as lines contradict each other. Give one.')
  const source = await openReply(positionals[0] ?? '-')
  const isRequest = options.flag('request')
  const file = isRequest ? (await requestFiles()).readRequestFile(await wholeReply(source)) : null
  if (file !== null) checkSettings(PARSE_SETTINGS, file, ['text'])
  const settings = mergeSettings(options, file)
  if (options.text('format') === null) refuseFormatCode(settings.text('format'), source.name)
  const tools = await readOfferedTools(options, file)
  const inRequest = file === null ? null : textInRequest(file)
  const beginning = inRequest ?? (source.kind === 'small' ? source.text : source.beginning)
  const name = settings.text('format') ?? (await identifyFormat({ name: source.name, text: beginning }, tools, output))
  const format = await loadFormat(name)
  const version = settings.text('profile') ?? (format === null ? null : versionFor(format))
  const chosen = await chooseFormat(name, version)
  const parseSettings = { ...readParseSettings(settings), tools }
  const target = options.text('output')
  const inPieces = isRequest || isForPeople ? null : pieceReader(chosen, parseSettings)
  if (source.kind === 'large' && inPieces !== null) {
    await printInPieces(source.pieces(), inPieces, { target, output })
    noteNotCompared(chosen, { isNamed: settings.text('profile') !== null, output })
    return EXIT.ok
  }
  const text = inRequest ?? (await wholeReply(source)).text
  const outcome = await parseText(chosen, text, parseSettings).catch((error: unknown) => {
    throw error instanceof TemplateError ? new UsageError(error.message) : error
  })
  const printed = isForPeople ? replyLines(outcome).join('\n') : escapeLoneSurrogates(dumps(outcome, { indent: 2 }))
  if (settings.text('profile') === null && format !== null && version !== null)
    for (const line of otherCallsLines(format, text, { tools, version })) output.note(`callspec: ${line}`)
  if (target !== null) await writeFileAtomically(target, `${printed}\n`)
  else output.write(`${printed}\n`)
  return outcome.get('kind') === 'rejected' ? EXIT.disagreement : EXIT.ok
}

async function printInPieces(
  pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
  reply: LargeReply,
  { target, output }: { readonly target: string | null; readonly output: Output },
): Promise<void> {
  const { printLargeReply } = await import('../parse/print-large.ts')
  if (target === null)
    return printLargeReply(pieces, reply, (piece) => {
      output.write(piece)
      return output.drained()
    })
  const file = await openLineWriter(target)
  try {
    await printLargeReply(pieces, reply, (piece) => file.add(piece))
    await file.commit()
  } finally {
    await file.discard()
  }
}

/** Versions of Qwen-Agent need all of the text at once, several times. */
function noteNotCompared(
  chosen: ChosenFormat,
  { isNamed, output }: { readonly isNamed: boolean; readonly output: Output },
): void {
  if (isNamed || chosen.kind !== 'format') return
  const { id, versions, readVersions = versions } = chosen.format
  if (readVersions.every((name) => name === 'strict')) return
  output.note(
    `callspec: the reply is larger than ${LARGE_BYTES / 2 ** 20} MB: whether another version of ${id} reads it otherwise was not looked at. --profile names one.`,
  )
}

/** The tools of `--tools` (a list, or an object that has one), else of the request file. */
async function readOfferedTools(options: Options, request: RequestFile | null): Promise<readonly ToolSpec[]> {
  const path = options.text('tools')
  if (path !== null) return (await requestFiles()).readSchemas(path)
  return request?.members.has('tools') === true ? (await requestFiles()).toolsIn(request) : []
}

/** Loaded late: most replies are read without a JSON5 file. */
function requestFiles(): Promise<typeof RequestFiles> {
  return import('../request/request-file.ts')
}

function readParseSettings(settings: Options): Omit<ParseSettings, 'tools'> {
  return {
    parallelCalls: settings.flag('parallel'),
    functionChoice: settings.text('function-choice') ?? 'auto',
    codeMode: settings.flag('code-mode'),
    thoughtInContent: settings.flag('thought-in-content'),
    stops: settings.choice('stop-words') ?? true,
    stopWords: settings.list('stop'),
    rawArguments: settings.flag('raw-arguments'),
  }
}

function textInRequest(file: RequestFile): string {
  const member = file.members.get('text')
  if (member === undefined) throw new UsageError(`${file.name}: there is no "text". Put the text of the model there.`)
  if (typeof member.value === 'string') return member.value
  throw new UsageError(`${file.place(member.key)}: "text" must be a string.`)
}

/** Finds the format of a text as `callspec identify` does, and prints it. */
async function identifyFormat({ name, text }: SourceText, tools: readonly ToolSpec[], output: Output): Promise<string> {
  // Loaded late, because it needs every format.
  const { identifyReply } = await import('@callspec/core/identify')
  const { formats, broken } = identifyReply(text, { tools })
  const [first, ...others] = formats.length > 0 ? formats : (broken?.formats ?? [])
  if (first === undefined)
    throw new UsageError(
      text.trim() === ''
        ? `${name}: there is no text. Give a reply of a model.`
        : `Which format? No call of any is in the text. ${WHICH_FORMAT}.`,
    )
  const alike = others.length === 0 ? '' : ` (or ${others.join(', ')})`
  const fault = formats.length > 0 || broken === null ? '' : `, but the call is broken: ${broken.why}`
  output.note(`callspec: the text is in the format ${first}${alike}${fault}. --format names another one.`)
  return first
}
