import { openHttp, smokeTest, wireProfile } from '@callspec/conformance'
import type { Implementation } from '@callspec/conformance'
import type { Options, OptionTable } from '../command.ts'
import { checkUrl } from '../eval/endpoint.ts'
import { UsageError } from '../usage-error.ts'

/** The options of a server under test. */
export const HTTP: OptionTable = {
  http: {
    help: "Ask an OpenAI-compatible server: what it makes of a model's text (with --upstream-port), and what it puts into the prompt. Needs --format. OPENAI_API_KEY holds its key.",
    value: 'URL',
  },
  'upstream-port': {
    help: 'With --http: play the upstream of the server on this port of 127.0.0.1. Point the server to http://127.0.0.1:PORT/v1.',
    value: 'PORT',
  },
  model: { help: 'With --http: the model to ask for. Default: the first that the server lists.', value: 'NAME' },
}

/**
 * Opens a server.
 *
 * @throws UsageError for missing or wrong options, BrokenImplementation when nothing answers there as it should
 */
export async function openServer(
  url: string,
  {
    options,
    environment,
    timeLimit,
  }: {
    readonly options: Options
    readonly environment: Readonly<Record<string, string | undefined>>
    readonly timeLimit: number
  },
): Promise<{ readonly implementation: Implementation; smoke(): Promise<readonly string[]> }> {
  checkUrl(url)
  const formats = options.list('format')
  if (formats.length === 0) {
    throw new UsageError('--http needs --format: a server cannot say which format it writes and reads.')
  }
  const operations = options.list('op')
  const model = options.text('model')
  const upstreamPort = options.integer('upstream-port', { min: 1, max: 65_535 })
  const apiKey = environment['OPENAI_API_KEY'] ?? ''
  const implementation = await openHttp(url, {
    timeLimit,
    formats,
    profiles: options.list('profile').map(wireProfile),
    ...(operations.length === 0 ? {} : { operations }),
    ...(model === null ? {} : { model }),
    ...(upstreamPort === null ? {} : { upstreamPort }),
    ...(apiKey === '' ? {} : { apiKey }),
  })
  return { implementation, smoke: () => smokeTest(implementation) }
}
