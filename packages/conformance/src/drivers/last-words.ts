import type { Exit } from './process-group.ts'
import { shortened } from '../shortened.ts'

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
