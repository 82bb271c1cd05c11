import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EvalAborted } from '../src/play/refusals.ts'
import type { RunConfig } from '../src/run/run-config.ts'
import { runEval } from '../src/run/run-eval.ts'
import { answeringServer } from './helpers/answering-server.ts'
import type { AnsweringServer, Refusal } from './helpers/answering-server.ts'
import { temporaryFolder } from './helpers/temporary.ts'
import { fewOf } from '../../tidy/test/share.ts'

function configFor({ baseUrl }: AnsweringServer, concurrency: number): RunConfig {
  const plan = { models: ['m'], protocols: ['fncall-nous'], tasks: ['S01', 'S02', 'P01', 'P02'], repeat: 30 } as const
  return { ...plan, baseUrl, stream: false, maxRetries: 0, reports: temporaryFolder(), concurrency }
}

function folderOf({ reports }: RunConfig): string {
  const [name = ''] = readdirSync(reports ?? '').filter((entry) => entry !== 'latest')
  return join(reports ?? '', name)
}

const summaryOf = (config: RunConfig): string => readFileSync(join(folderOf(config), 'summary.json'), 'utf8')

/**
 * Answers `last` requests and refuses all that follow. The replies to those that are in flight then come after the first
 * refusal has been read: the runner has no place for another request before.
 */
function refuseAfter(server: AnsweringServer, { last, width, refusal }: Refusing): void {
  const [before, held] = [server.came.length, [] as (() => void)[]]
  server.setFate((all) => {
    const count = all - before
    if (count > last + 1) for (const send of held.splice(0)) send()
    if (count > last) return refusal
    if (count <= last + 1 - width) return 'reply'
    return new Promise((resolve) => held.push(() => resolve('reply')))
  })
}

interface Refusing {
  readonly last: number
  readonly width: number
  readonly refusal: Refusal
}

const coded = (status: number, code: string): Refusal => ({ status, body: { error: { code, message: 'no' } } })

const KEY = coded(401, 'invalid_api_key')
const MONEY = coded(402, 'no_money')
const QUOTA = coded(429, 'insufficient_quota')

describe('a run that is refused in the middle', { timeout: 60_000 }, () => {
  it.each(
    fewOf(
      [
        ...[8, 1, 64].map((width) => ['401', width, KEY] as const),
        ...[64, 1, 8].map((width) => ['402', width, MONEY] as const),
        ...[8, 1, 64].map((width) => ['an exhausted quota', width, QUOTA] as const),
      ],
      3,
    ),
  )('with %s at -j %i goes on to the summary of an undisturbed one', async (_, width, refusal) => {
    const server = await answeringServer()
    const whole = configFor(server, 8)
    await runEval(whole)
    const config = configFor(server, width)
    refuseAfter(server, { last: 100, width, refusal })
    await expect(runEval(config)).rejects.toThrow(EvalAborted)

    server.setFate(() => 'reply')
    await runEval(config, { resume: { folder: folderOf(config) } })

    expect(summaryOf(config)).toBe(summaryOf(whole))
  })
})
