import { plural } from '@callspec/eval/text'
import type { QueueStatus } from '@callspec/queue'
import type { Command, ExitCode, Invocation, OptionTable } from '../command.ts'
import { EXIT } from '../command.ts'
import { SOURCE_OPTIONS } from '../eval/options.ts'
import { timeText } from '../work-progress.ts'
import { readEvalContext } from '../eval/context.ts'
import { inert } from '../output.ts'
import { loadQueue } from '../queue/evaluate.ts'
import { QUEUE, queueNamed } from '../queue/options.ts'
import { UsageError } from '../usage-error.ts'

const QUEUE_OPTIONS: OptionTable = {
  ...QUEUE,
  json: { help: 'Print the state as JSON.' },
  'env-file': SOURCE_OPTIONS['env-file'] ?? { help: '' },
}

export const queueCommand: Command = {
  name: 'queue',
  usage: ['queue status|pause|resume|cancel --queue URL [--json]'],
  about: 'Prints the state of an evaluation queue, pauses, resumes or cancels it.',
  subcommands: {
    status: 'The progress of the run, and its workers.',
    pause: 'Workers take no further episodes and finish those they play.',
    resume: 'Workers take episodes again.',
    cancel: 'Ends the run. What was collected stays in its folder.',
  },
  options: QUEUE_OPTIONS,
  examples: [
    'callspec queue status --queue redis://127.0.0.1/0',
    'callspec queue cancel --queue redis://127.0.0.1/0 --json',
  ],
  notes: ['Exit codes: 0 done; 2 misuse, no Redis, or no run.'],
  run: runQueue,
}

async function runQueue(invocation: Invocation): Promise<ExitCode> {
  const { output, subcommand } = invocation
  const { options } = await readEvalContext(invocation, QUEUE_OPTIONS)
  const queue = queueNamed(options)
  const { cancelRun, queueStatus, setPaused } = await loadQueue()
  if (subcommand === 'cancel') {
    const run = await cancelRun(queue)
    if (options.json) output.line(JSON.stringify({ cancelled: run }))
    else
      output.line(`run ${run} is cancelled. What was collected is in its folder; callspec eval --resume continues it`)
    return EXIT.ok
  }
  if (subcommand !== 'status' && subcommand !== 'pause' && subcommand !== 'resume')
    throw new UsageError('which action? Give callspec queue status, pause, resume or cancel.')
  const status = subcommand === 'status' ? await queueStatus(queue) : await setPaused(queue, subcommand === 'pause')
  if (options.json) output.line(JSON.stringify(status, null, 2))
  else for (const line of statusLines(status)) output.line(inert(line))
  return EXIT.ok
}

function statusLines({ run, workers }: QueueStatus): readonly string[] {
  const there = workers.filter(({ left }) => left === null)
  const working = there.map(
    ({ host, pid, busy, slots, episodes, silentMs }) =>
      `  ${host} ${pid}: ${busy} of ${slots} in flight, ${episodes} played${silentMs > 10_000 ? `, silent for ${timeText(silentMs)}` : ''}`,
  )
  const gone = workers.flatMap(({ host, pid, left }) => (left === null ? [] : [`  ${host} ${pid} left: ${left}`]))
  const crew = [plural(there.length, 'worker'), ...working, ...gone]
  if (run === null) return ['no run', ...crew]
  const { chunks, waiting } = run
  return [
    `run ${run.run}: ${run.state}${run.isCollected ? '' : ', no collector'}`,
    `${run.ended} of ${plural(run.episodes, 'episode')} stored`,
    `${plural(chunks.waiting, 'chunk')} waiting, ${chunks.active} being played, ${chunks.failed} failed`,
    ...run.failed.map(({ name, reason }) => `  ${name}: ${reason}`),
    `${plural(waiting.entries, 'row')} waiting for the collector, ${(waiting.bytes / 2 ** 20).toFixed(1)} of ${(waiting.bound / 2 ** 20).toFixed(0)} MB`,
    `${plural(run.askedTwice, 'request')} made again, ${plural(run.dropped, 'reply', 'replies')} dropped, enqueued in ${plural(run.rounds, 'round')}`,
    ...crew,
  ]
}
