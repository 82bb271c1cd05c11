import { folderWith } from './folder.ts'
import { blocksOf, runStep, stepsIn, writeCat, writeShown } from './sessions.ts'
import type { Step } from './sessions.ts'

/** What a page shows, and what its commands print. */
export interface Played {
  readonly steps: readonly Step[]
  readonly printed: readonly Step[]
}

/** Runs the sessions of a page: its blocks of language `console`, in order, in one empty folder, with the files it shows. */
export async function playPage(page: string): Promise<Played> {
  const cwd = folderWith({})
  const steps: Step[] = []
  const printed: Step[] = []
  for (const { language, text } of blocksOf(page)) {
    writeShown(text, cwd)
    if (language !== 'console') continue
    for (const step of stepsIn(text)) {
      writeCat(step, cwd)
      steps.push(step)
      printed.push({ command: step.command, output: await runStep(step, cwd) })
    }
  }
  return { steps, printed }
}
