import { resultLine } from '@callspec/conformance'
import type { CaseResult, ResultOrigin } from '@callspec/conformance'
import { openLineWriter, type LineWriter } from '../line-writer.ts'
import type { Output } from '../output.ts'
import { JUNIT_END, junitCase, junitStart } from './junit.ts'

/** The files that a run leaves, written case by case. */
export interface ResultFiles {
  /** Before the first result. */
  begin(origin: ResultOrigin): Promise<void>
  write(result: CaseResult): Promise<void>
  commit(): Promise<void>
  discard(): Promise<void>
}

/** Opens those that are named. */
export async function openResultFiles(paths: {
  /** A path, or where lines are printed. */
  readonly json: string | Pick<Output, 'line'> | null
  readonly junit: string | null
}): Promise<ResultFiles> {
  const open: LineWriter[] = []
  const openOne = async (path: string | null): Promise<LineWriter | null> => {
    const writer = path === null ? null : await openLineWriter(path)
    if (writer !== null) open.push(writer)
    return writer
  }
  const discard = async (): Promise<void> => {
    for (const writer of open) await writer.discard()
  }
  try {
    const { json: target } = paths
    const printed = typeof target === 'string' ? null : target
    const [json, junit] = [await openOne(typeof target === 'string' ? target : null), await openOne(paths.junit)]
    let source: ResultOrigin | undefined
    return {
      begin: async (origin) => {
        source = origin
        await junit?.write(junitStart(origin))
      },
      write: async (result) => {
        printed?.line(resultLine(result, source))
        await json?.write(resultLine(result, source))
        // What nobody claims is no test of theirs.
        if (!isUnclaimed(result)) await junit?.write(junitCase(result))
      },
      commit: async () => {
        await junit?.write(JUNIT_END)
        for (const writer of open) await writer.commit()
      },
      discard,
    }
  } catch (error) {
    await discard()
    throw error
  }
}

function isUnclaimed({ verdict }: CaseResult): boolean {
  return verdict.kind === 'skipped' && verdict.isUnclaimed === true
}
