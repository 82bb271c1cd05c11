import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** What Python made of a pair of template and variables. */
export interface PythonAnswer {
  readonly text?: string
  readonly raise?: string
  readonly kind?: string
  readonly line?: number | null
  /** It took more than five seconds. */
  readonly slow?: boolean
}

/** A template with variables as JSON text. */
export interface Pair {
  readonly source: string
  readonly variables: string
}

const SCRIPT = fileURLToPath(new URL('jinja.py', import.meta.url))

/** A Python that has jinja2, or null. */
export function findPython(): string | null {
  const found = ['python3', '/usr/bin/python3'].find((name) => {
    const { status } = spawnSync(name, ['-c', 'import jinja2.sandbox, sys; sys.exit(sys.version_info < (3, 9))'])
    return status === 0
  })
  return found ?? null
}

/** Python's answers to the pairs, in their order. */
export function askPython(python: string, pairs: readonly Pair[]): readonly PythonAnswer[] {
  const input = pairs.map((pair) => `${JSON.stringify(pair)}\n`).join('')
  const { stdout, stderr, status } = spawnSync(python, [SCRIPT], { input, encoding: 'utf8', maxBuffer: 2 ** 30 })
  const [, ...lines] = stdout.split('\n').filter((line) => line !== '')
  if (status !== 0 || lines.length !== pairs.length)
    throw new Error(`python answered ${lines.length} of ${pairs.length}: ${stderr}`)
  return lines.map((line) => JSON.parse(line) as PythonAnswer)
}
