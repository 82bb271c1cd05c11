import { runProgram } from '../../src/main.ts'
import { createOutput } from '../../src/output.ts'
import type { Finished } from './binary.ts'

/** As `callspec` of binary.ts, without a process of its own: for tables of mistakes, where starting one is all the time. */
export async function inProcess(words: readonly string[], { cwd }: { readonly cwd?: string } = {}): Promise<Finished> {
  const written = { stdout: '', stderr: '' }
  const output = createOutput({
    stdout: { write: (text) => (written.stdout += text) },
    stderr: { write: (text) => (written.stderr += text) },
    environment: {},
    clock: () => 0,
  })
  const before = process.cwd()
  try {
    if (cwd !== undefined) process.chdir(cwd)
    const code = await runProgram(words, { output, environment: {} })
    return { code, ...written }
  } finally {
    process.chdir(before)
  }
}
