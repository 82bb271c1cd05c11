import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

/** A file above so many seconds of CPU is named: it is to be made cheaper, or belongs to the long tests. */
const DEAR = 5

/** Prints behind a run what the tests of each package have cost, and names the files that are dear. Seconds are of CPU. */
export function costReporter(root: string): Reporter {
  return {
    onTestRunEnd: (modules) => {
      console.log(costText(modules.map((module) => costOf(module, root))))
    },
  }
}

/** A file of tests and what it has cost. */
export interface FileCost {
  /** From the root of the workspace on, with `/` between folders. */
  readonly path: string
  readonly seconds: number
}

function costOf(module: TestModule, root: string): FileCost {
  return { path: relative(root, module.moduleId).replaceAll('\\', '/'), seconds: module.meta().cpuSeconds ?? 0 }
}

/** The packages, the dearest first, and under them the files above 5 s. What vitest itself needs is in neither. */
export function costText(files: readonly FileCost[]): string {
  const packages = new Map<string, number>()
  for (const { path, seconds } of files) {
    const name = path.split('/')[1] ?? path
    packages.set(name, (packages.get(name) ?? 0) + seconds)
  }
  const whole = files.reduce((sum, { seconds }) => sum + seconds, 0)
  const dear = files.filter(({ seconds }) => seconds > DEAR)
  return [
    ` CPU of the tests  ${shown(whole)}: ${byCost([...packages]).join(', ')}`,
    ...byCost(dear.map(({ path, seconds }) => [path, seconds])).map((file) => ` above ${DEAR} s         ${file}`),
  ].join('\n')
}

function byCost(costs: readonly (readonly [name: string, seconds: number])[]): readonly string[] {
  return costs.toSorted((a, b) => b[1] - a[1]).map(([name, seconds]) => `${name} ${shown(seconds)}`)
}

function shown(seconds: number): string {
  return `${seconds.toFixed(1)} s`
}
