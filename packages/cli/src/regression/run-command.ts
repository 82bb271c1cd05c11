import { spawn } from 'node:child_process'
import { quoted } from '../terminal.ts'
import { messageOf } from '../usage-error.ts'

/** What a command made of one request: bytes, or the reason why there are none. */
export type CommandResult =
  { readonly kind: 'printed'; readonly stdout: Buffer } | { readonly kind: 'failed'; readonly reason: string }

const MAX_BYTES = 64 * 1024 * 1024

/**
 * Runs `sh -c command` with `input` on stdin and gives what it printed.
 *
 * A time limit, a non-zero exit, a signal and more than 64 MB of output are failures; the reason quotes the last line
 * of stderr. The command runs in a process group of its own, which is killed as a whole.
 */
export function runCommand(command: string, input: string, timeLimitMs: number): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', command], { stdio: ['pipe', 'pipe', 'pipe'], detached: true })
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    let size = 0
    let stopped: string | null = null
    const stop = (reason: string): void => {
      stopped ??= reason
      killGroup(child.pid)
    }
    const timer = setTimeout(
      () => stop(`no end within ${timeLimitMs} ms. Raise --time-limit if it is slow.`),
      timeLimitMs,
    )
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > MAX_BYTES) return stop('it printed more than 64 MB')
      return stdout.push(chunk)
    })
    child.stderr.on('data', (chunk: Buffer) => {
      // Only the end is quoted.
      stderr.push(chunk)
      if (stderr.length > 16) stderr.shift()
    })
    // A command need not read its request.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    child.on('error', (error) => {
      clearTimeout(timer)
      resolve({ kind: 'failed', reason: `cannot be started: ${messageOf(error)}` })
    })
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      const reason = stopped ?? endReason(code, signal, Buffer.concat(stderr).toString('utf8'))
      resolve(reason === null ? { kind: 'printed', stdout: Buffer.concat(stdout) } : { kind: 'failed', reason })
    })
  })
}

function endReason(code: number | null, signal: string | null, stderr: string): string | null {
  if (code === 0) return null
  const last = stderr.trimEnd().split('\n').at(-1) ?? ''
  const said = last === '' ? ' and said nothing on stderr' : `: ${quoted(last, 200)}`
  return `${signal === null ? `exit code ${String(code)}` : `killed by ${signal}`}${said}`
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It ended by itself in between.
  }
}
