import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { folderWith } from './folder.ts'
import { blocksOf, inShell, linesIn, runStep, stepsIn, writeCat, writeShown } from './sessions.ts'
import type { Block, Step } from './sessions.ts'

/** The pages for readers of a checkout, as paths below it; those that a build or a run makes are not among them. */
export function pagesOf(root: string): readonly string[] {
  const pagesIn = (folder: string, deep: boolean): readonly string[] =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory())
        return deep && !/^(?:node_modules|dist|publish|data|\..*|\d{4}-.*)$/.test(entry.name) ? pagesIn(path, true) : []
      return entry.name.endsWith('.md') ? [path] : []
    })
  const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}`)
  const folders = ['docs', 'fixtures', 'golden', 'reports', ...packages]
  return [...pagesIn('.', false), ...folders.flatMap((folder) => pagesIn(folder, true))].toSorted()
}

/** Whether `playPage` runs the commands of a block. */
export function playable({ language, notPlayed }: Block): boolean {
  return notPlayed === null && (language === 'console' || language === 'sh')
}

/** What a page shows, and what its commands print. */
export interface Played {
  readonly steps: readonly Step[]
  readonly printed: readonly Step[]
  /** Commands of blocks without output that ended neither with 0 nor with 1, with what they printed. */
  readonly refused: readonly Step[]
}

/**
 * Runs the sessions of a page, its blocks of language `console`, in order, in one folder with `given` and the files that the
 * page shows. Of a block of language `sh` each line of callspec is run, too: what
 * it prints is not shown, but it ends with 0 or 1. A block with a reason for not being played is passed over.
 */
export async function playPage(page: string, given: Readonly<Record<string, string>> = {}): Promise<Played> {
  const cwd = folderWith(given)
  const steps: Step[] = []
  const printed: Step[] = []
  const refused: Step[] = []
  for (const block of blocksOf(page)) {
    const { text } = block
    writeShown(text, cwd)
    if (!playable(block)) continue
    if (block.language === 'console') {
      for (const step of stepsIn(text)) {
        writeCat(step, cwd)
        steps.push(step)
        printed.push({ command: step.command, output: await runStep(step, cwd) })
      }
    } else {
      for (const command of linesIn(text)) {
        const { code, output } = inShell(command, cwd)
        if (code !== 0 && code !== 1) refused.push({ command, output })
      }
    }
  }
  return { steps, printed, refused }
}
