import type { EvalSummary } from '@callspec/eval'
import type * as Queue from '@callspec/queue'
import type { Invocation } from '../command.ts'
import type { EvalOptions } from '../eval/eval-options.ts'
import { isGiven } from '../eval/eval-options.ts'
import type { EvalSettings, RunControl } from '../eval/settings.ts'
import { runConfigOf } from '../eval/settings.ts'
import { shellWord } from '../output.ts'
import { messageOf, systemCode, UsageError } from '../usage-error.ts'
import type { QueuePlace } from './options.ts'
import { metricsOf } from './options.ts'

/** Options without meaning for workers, which send the requests. */
const ALONE = ['record', 'replay', 'watch', 'cache', 'delay', 'tools', 'mcp'] as const

export function checkQueueOptions(options: EvalOptions): void {
  const found = ALONE.find((name) => isGiven(options, name) && options[name] !== false)
  if (found !== undefined) throw new UsageError(`--${found} does not go with --queue: leave one of them out.`)
}

export function checkQueueSettings({ modules = {} }: EvalSettings): void {
  const [first] = Object.values(modules)
  if (first !== undefined)
    throw new UsageError(`${first.path} does not go with --queue: workers have only the formats of callspec.`)
}

/** Without the password. */
function workerCommand({ url, prefix }: QueuePlace, options: EvalOptions): string {
  const address = shellWord(url.replace(/(?<=^[a-z]+:\/\/).*@/i, '…@'))
  const own = options['queue-prefix'] === null ? '' : `CALLSPEC_QUEUE_PREFIX=${shellWord(prefix)} `
  return `${own}callspec worker --queue ${address} --base-url URL`
}

export async function playOverQueue(
  settings: EvalSettings,
  control: RunControl,
  {
    queue,
    options,
    invocation: { output, queuePatience },
  }: { readonly queue: QueuePlace; readonly options: EvalOptions; readonly invocation: Invocation },
): Promise<EvalSummary> {
  const { evaluateOverQueue, serveMetrics } = await loadQueue()
  const { interrupt, resume, onEvent, limits } = control
  const megabytes = options['queue-memory']
  const place = metricsOf(options)
  const isSimulated = settings.models.some(({ endpoint }) => endpoint.kind === 'simulated')
  const metrics = place === null ? null : await serveMetrics(queue, place)
  if (metrics !== null) output.note(`callspec: metrics at ${metrics.url}`)
  try {
    return await evaluateOverQueue(
      { ...runConfigOf(settings), ...(isSimulated ? { baseUrl: 'simulated', isSimulated } : {}) },
      {
        ...{ queue, onEvent, limits, times: queuePatience, signal: interrupt.signal, drain: interrupt.drain },
        onWarning: (sentence) => output.warn(sentence),
        onNoWorkers: () =>
          output.warn(`no worker is connected to the queue. Start one: ${workerCommand(queue, options)}`),
        ...(megabytes === null ? {} : { bound: megabytes * 2 ** 20 }),
        ...(resume === null ? {} : { resume }),
      },
    )
  } finally {
    await metrics?.close()
  }
}

/**
 * The package with BullMQ, an optional installation.
 *
 * @throws UsageError if it is not installed
 */
export async function loadQueue(): Promise<typeof Queue> {
  try {
    return await import('@callspec/queue')
  } catch (error) {
    if (systemCode(error) !== 'ERR_MODULE_NOT_FOUND' || !messageOf(error).includes('@callspec/queue')) throw error
    throw new UsageError('a queue needs a package of its own: npm install @callspec/queue')
  }
}
