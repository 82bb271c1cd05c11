import type { CaseResult, ResultOrigin } from '@callspec/conformance'
import { resultLine, differenceLine, rawOf, reasonOf } from '@callspec/conformance'
import type { LineWriter } from '../write-file.ts'
import { openLineWriter } from '../write-file.ts'
import type { Output } from '../output.ts'
import type { JunitOutcome } from '../junit.ts'
import { JUNIT_HEAD, junitProperties, junitTestCase } from '../junit.ts'

/** The files that a run leaves, written case by case. */
export interface ResultFiles {
  /** Before the first result. */
  begin(origin: ResultOrigin): Promise<void>
  write(result: CaseResult): Promise<void>
  commit(): Promise<void>
  discard(): Promise<void>
}

/** A path, or where lines are printed. */
type Target = string | Pick<Output, 'line'> | null

/** Opens those that are named. */
export async function openResultFiles(paths: {
  readonly json: Target
  readonly junit: string | null
}): Promise<ResultFiles> {
  const open: LineWriter[] = []
  const openOne = async (target: Target): Promise<LineWriter | null> => {
    const writer = typeof target === 'string' ? await openLineWriter(target) : target === null ? null : printed(target)
    if (writer !== null) open.push(writer)
    return writer
  }
  const discard = async (): Promise<void> => {
    for (const writer of open) await writer.discard()
  }
  try {
    const [json, junit] = [await openOne(paths.json), await openOne(paths.junit)]
    let source: ResultOrigin | undefined
    return {
      begin: async (origin) => {
        source = origin
        await junit?.write(junitStart(origin))
      },
      write: async (result) => {
        await json?.write(resultLine(result, source))
        // Cases that the implementation does not declare are not its tests.
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

function printed(output: Pick<Output, 'line'>): LineWriter {
  const nothing = (): Promise<void> => Promise.resolve()
  return { write: (line) => Promise.resolve(output.line(line)), add: nothing, commit: nothing, discard: nothing }
}

/** Begins a JUnit file. Readers count the cases themselves: the totals are not known before the end. */
export function junitStart({ cases, implementation }: ResultOrigin): string {
  const properties = [
    ...(cases === null ? [] : [['cases', cases] as const]),
    ['implementation', implementation] as const,
  ]
  return [
    `${JUNIT_HEAD}\n<testsuites name="callspec conformance">\n<testsuite name="conformance">`,
    ...junitProperties(properties),
  ].join('\n')
}

export const JUNIT_END = '</testsuite>\n</testsuites>'

/** One case: the operation is the class, the id the name. A known failure that passed is a failure here. */
export function junitCase(result: CaseResult): string {
  const { case: item, fixed } = result
  const outcome: JunitOutcome | null =
    fixed === undefined ? outcomeOf(result) : { kind: 'failure', message: 'passes, but is listed as a known failure' }
  return junitTestCase({ className: `${item.op} ${item.profile}`, name: item.id }, outcome)
}

function outcomeOf({ verdict, reply }: CaseResult): JunitOutcome | null {
  const message = reasonOf(verdict) ?? ''
  const raw = rawOf({ reply, verdict })
  const sent = raw === null ? [] : [`raw: ${raw}`]
  switch (verdict.kind) {
    case 'passed':
      return null
    case 'failed':
      return { kind: 'failure', message, body: [differenceLine(verdict.difference), ...sent].join('\n') }
    case 'errored':
      return { kind: 'error', message, ...(sent.length === 0 ? {} : { body: sent.join('\n') }) }
    case 'skipped':
      return { kind: 'skipped', message }
  }
}
