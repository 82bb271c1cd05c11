import type { CommandEntry, Invocation, ExitCode } from './command.ts'
import { EXIT } from './command.ts'
import { COMMANDS } from './commands.ts'
import { commandHelp, firstScreen, ownVersion, programHelp } from './help.ts'
import { didYouMean, messageOf, systemCode, UsageError } from './usage-error.ts'
import { createOutput, type Output, type Sink } from './output.ts'

type Environment = Invocation['environment']

/**
 * Runs one command line and returns its exit code. Never throws.
 *
 * Only this file and its imports are loaded before the command is known.
 */
export function main(words: readonly string[]): Promise<ExitCode> {
  const end = words.includes('--') ? words.indexOf('--') : words.length
  const isPlain = words.slice(0, end).includes('--no-color')
  const environment = isPlain ? { ...process.env, NO_COLOR: '1' } : process.env
  const rest = words.filter((word, at) => at >= end || word !== '--no-color')
  return runProgram(rest, { output: standardOutput(environment), environment })
}

/** Runs one command line with this output and environment: those of the process, or of a test. Never throws. */
export async function runProgram(words: readonly string[], context: ProgramContext): Promise<ExitCode> {
  try {
    return await dispatch(words, context)
  } catch (error) {
    context.output.progressDone()
    return reportError(error, context)
  }
}

/** Where a command line reads and prints. */
export interface ProgramContext {
  readonly output: Output
  readonly environment: Environment
  readonly queuePatience?: Invocation['queuePatience']
}

async function dispatch(words: readonly string[], context: ProgramContext): Promise<ExitCode> {
  const { output } = context
  const [name, ...rest] = words
  if (name === undefined) {
    output.write(firstScreen(output))
    return EXIT.ok
  }
  if (name === '--help' || name === '-h' || (name === 'help' && rest.length === 0)) {
    output.write(programHelp(COMMANDS, output))
    return EXIT.ok
  }
  if (name === '--version' || name === 'version') {
    output.line(await ownVersion())
    return EXIT.ok
  }
  if (name === 'help') return runCommand(entryNamed(rest[0] ?? ''), [...rest.slice(1), '--help'], context)
  return runCommand(entryNamed(name, rest), rest, context)
}

async function runCommand(entry: CommandEntry, words: readonly string[], context: ProgramContext): Promise<ExitCode> {
  const [{ parseArguments }, command] = await Promise.all([import('./arguments.ts'), entry.load()])
  const { help, deprecations, ...parsed } = parseArguments(command, words)
  for (const deprecation of deprecations) context.output.warn(deprecation)
  if (!help) return command.run({ ...parsed, ...context })
  context.output.write(commandHelp(command, parsed.subcommand, context.output))
  return EXIT.ok
}

function entryNamed(name: string, rest: readonly string[] = []): CommandEntry {
  const entry = COMMANDS.find((each) => each.name === name)
  if (entry !== undefined) return entry
  const isOption = name.startsWith('-')
  const known = isOption ? ['--help', '--version', '--no-color'] : COMMANDS.map((each) => each.name)
  const command = isOption ? COMMANDS.find((each) => rest.includes(each.name)) : undefined
  if (command !== undefined)
    throw new UsageError(`"${name}" comes before the command. Write it after: callspec ${command.name} … ${name}`)
  const hint = didYouMean(name.toLowerCase(), known)
  throw new UsageError(`unknown ${isOption ? 'option' : 'command'} "${name}".${hint} callspec --help lists all.`)
}

function inOneLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '').join(' ')
}

/** A user's mistake is one line and exit code 2; anything unexpected is one line, a hint and 3. */
function reportError(error: unknown, { output, environment }: ProgramContext): ExitCode {
  // By name, so that core and eval need not be loaded.
  const isMisuse = error instanceof UsageError || (error instanceof Error && MISUSE.has(error.name))
  const debug = environment['CALLSPEC_DEBUG']
  const stack = debug !== undefined && debug !== '' && error instanceof Error ? error.stack : undefined
  const message = inOneLine(messageOf(error))
  // The message of a MachineryError says enough. A broken implementation is its author's fault.
  const isBrokenProgram = error instanceof Error && error.name === 'BrokenImplementation'
  const isForeseen = isMisuse || isBrokenProgram || (error instanceof Error && error.name === 'MachineryError')
  output.note(`callspec: ${isForeseen ? '' : 'unexpected: '}${message}`)
  if (stack !== undefined) output.note(stack)
  if (isMisuse) return EXIT.usage
  if (stack === undefined && !isBrokenProgram)
    output.note('callspec: this is a fault of callspec or of the machine. CALLSPEC_DEBUG=1 shows where.')
  return EXIT.broken
}

/** Mistakes of the user in core and eval. */
const MISUSE: ReadonlySet<string> = new Set(['InputError', 'RunError', 'SuiteError'])

function standardOutput(environment: Environment): Output {
  return createOutput({
    stdout: forgiving(() => process.stdout),
    stderr: forgiving(() => process.stderr),
    environment,
    // Monotonic; `performance` would have to be loaded.
    clock: () => process.uptime() * 1000,
  })
}

/**
 * A closed reader (`| head`) ends the printing, not the command. A full disk ends the command. Node makes a stream on first access, which
 * takes as long as `--help` itself.
 */
function forgiving(streamOf: () => NodeJS.WriteStream): Sink {
  let isOpen = true
  let made: NodeJS.WriteStream | null = null
  const stream = (): NodeJS.WriteStream => (made ??= streamOf().on('error', onError))
  const onError = (error: unknown): void => {
    isOpen = false
    if (systemCode(error) === 'EPIPE') return
    process.stderr.write(`callspec: the output cannot be written: ${messageOf(error)}\n`)
    process.exit(EXIT.broken)
  }
  return {
    write: (text) => isOpen && stream().write(text),
    drained: () =>
      new Promise((resolve) => {
        if (!isOpen || !stream().writableNeedDrain) return resolve()
        const done = (): void => {
          for (const event of ['drain', 'error']) stream().off(event, done)
          resolve()
        }
        for (const event of ['drain', 'error']) stream().on(event, done)
      }),
    get isTTY() {
      return stream().isTTY
    },
    get columns() {
      return stream().columns
    },
  }
}
