import { spawn } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { shortened } from '../visible.ts'

/** How a process ended. */
export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A command of the user, running in a process group of its own. */
export interface ProcessGroup {
  readonly stdin: Writable
  readonly stdout: Readable
  /** The process that was started has ended, and what it wrote has been read. */
  readonly ended: Promise<Exit>
  /** The end of what it wrote to stderr, at most a few thousand characters. */
  stderrTail(): string
  /** Ends everything in the group at once, whatever it does about signals. A second call does nothing. */
  kill(): void
}

/** What is kept of stderr. */
const STDERR_BYTES = 4096

/** A process that was forked away may hold the pipe open for ever; so long is waited for what is still in it. */
const LAST_WORDS_MS = 200

/**
 * Runs a command with `sh -c` in the current folder. Its process group, and with it what it forks, ends with this
 * process; only a descendant that leaves the group (`setsid`) survives.
 */
export function startGroup(command: string): ProcessGroup {
  // Before the command runs: a signal that comes while it is being started must not miss it.
  watchSignals()
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn('sh', ['-c', command], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const { pid } = child
  if (pid !== undefined) running.add(pid)
  let tail = Buffer.alloc(0)
  child.stderr.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk.subarray(-STDERR_BYTES)]).subarray(-STDERR_BYTES)
  })
  // A process that does not read what it is asked is found out by its silence or its end.
  child.stdin.on('error', () => undefined)
  const kill = (): void => {
    if (pid !== undefined) killGroup(pid)
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
  }
  return { stdin: child.stdin, stdout: child.stdout, ended: endOf(child), stderrTail: () => tail.toString(), kill }
}

function endOf(child: ChildProcessByStdio<Writable, Readable, Readable>): Promise<Exit> {
  return new Promise((settle) => {
    child.once('error', () => settle({ code: 127, signal: null }))
    child.once('exit', (code, signal) => {
      const timer = setTimeout(() => settle({ code, signal }), LAST_WORDS_MS)
      child.once('close', () => {
        clearTimeout(timer)
        settle({ code, signal })
      })
    })
  })
}

const running = new Set<number>()
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
let isWatching = false

/** Groups are sessions of their own, so that a Ctrl-C in the terminal does not reach them. */
function watchSignals(): void {
  if (isWatching) return
  isWatching = true
  process.on('exit', killAll)
  for (const signal of SIGNALS) {
    process.once(signal, () => {
      killAll()
      process.kill(process.pid, signal)
    })
  }
}

function killAll(): void {
  for (const pid of running) killGroup(pid)
}

function killGroup(pid: number): void {
  if (!running.delete(pid)) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Everything in it has ended by itself.
  }
}

const SHOWN = 200

/** The last line that says something, shortened; an empty text when there is none. */
export function lastWords(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((each) => each.trim())
    .filter((each) => each !== '')
  const last = lines.at(-1)
  if (last === undefined) return ''
  // Node says its version below an error that nobody caught, and the stack stands between them.
  const error = NODE_VERSION.test(last) ? lines.findLast((line) => NODE_ERROR.test(line)) : undefined
  return shortened(error ?? last, SHOWN)
}

const NODE_VERSION = /^Node\.js v\d+\.\d+\.\d+/
const NODE_ERROR = /^(?:Uncaught )?\w*(?:Error|Exception)(?: \[\w+\])?:/

/** `reason`, and what the process said on stderr, if it said something. */
export function withLastWords(reason: string, words: string): string {
  return words === '' ? reason : `${reason}; its stderr ends with: ${words}`
}

/** How a process ended, as the end of a sentence about it. */
export function exitText({ code, signal }: Exit): string {
  if (signal !== null) return `was ended by ${signal}`
  if (code === 127) return 'could not be started: sh found no such command (exit code 127)'
  if (code === 126) return 'could not be started: sh may not run it (exit code 126)'
  // So a shell reports a command that was ended by a signal.
  if (code !== null && code > 128) return `was ended by signal ${code - 128} (exit code ${code})`
  return `exited with code ${code ?? 'unknown'}`
}
