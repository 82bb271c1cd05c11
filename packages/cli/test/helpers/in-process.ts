import { Readable } from 'node:stream'
import { runProgram } from '../../src/main.ts'
import { createOutput } from '../../src/output.ts'
import type { QueuePatience } from '../../src/command.ts'
import type { Finished } from './binary.ts'

interface Options {
  readonly cwd?: string
  readonly input?: string | Buffer
  /** Whether stdout is a terminal. Default: a pipe. */
  readonly isTerminal?: boolean
  /** In addition to a width of 80 columns; `COLUMNS: ''` takes that away. */
  readonly env?: Readonly<Record<string, string>>
  readonly queuePatience?: QueuePatience
}

/**
 * As `callspec` of binary.ts, without a process of its own: starting one is nearly all the time that a run takes. One run
 * at a time: the working folder and standard input are those of this process.
 */
export async function inProcess(
  words: readonly string[],
  { cwd, input, env: given = {}, isTerminal = false, queuePatience }: Options = {},
): Promise<Finished> {
  const env = { COLUMNS: '80', ...given }
  const written = { stdout: '', stderr: '' }
  const output = createOutput({
    stdout: { write: (text) => (written.stdout += text), isTTY: isTerminal },
    stderr: { write: (text) => (written.stderr += text) },
    environment: env,
    clock: () => 0,
  })
  const before = process.cwd()
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin')
  try {
    if (cwd !== undefined) process.chdir(cwd)
    const piped = Readable.from(input === undefined ? [] : [Buffer.from(input)])
    Object.defineProperty(process, 'stdin', { value: piped, configurable: true })
    const code = await runProgram(words, { output, environment: env, queuePatience })
    return { code, ...written }
  } finally {
    if (stdin !== undefined) Object.defineProperty(process, 'stdin', stdin)
    process.chdir(before)
  }
}

/** As `inProcess`, for tests that give deprecated options: without the lines about these on stderr. */
export async function inProcessWithOldOptions(...given: Parameters<typeof inProcess>): Promise<Finished> {
  const finished = await inProcess(...given)
  return { ...finished, stderr: finished.stderr.replaceAll(/^callspec: warning: --\S+ is deprecated: .*\n/gm, '') }
}
