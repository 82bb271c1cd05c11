import { openHttp, SAY_MODES, smokeTest, wireProfile } from '@callspec/conformance'
import type { Implementation, SayOptions } from '@callspec/conformance'
import type { Options } from '../command.ts'
import { checkUrl } from '../eval/endpoint.ts'
import { UsageError } from '../usage-error.ts'

/**
 * Opens a server.
 *
 * @throws UsageError for missing or wrong options, BrokenImplementation when no server answers there as expected
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
  const say = sayOptions(options)
  const expected = options.text('expect-system')
  if (say !== null && upstreamPort !== null) {
    throw new UsageError('--say makes the engine generate texts, --upstream-port replaces the engine. Give one.')
  }
  const apiKey = environment['OPENAI_API_KEY'] ?? ''
  const implementation = await openHttp(url, {
    timeLimit,
    formats,
    profiles: options.list('profile').map(wireProfile),
    ...(operations.length === 0 ? {} : { operations }),
    ...(model === null ? {} : { model }),
    ...(upstreamPort === null ? {} : { upstreamPort }),
    ...(apiKey === '' ? {} : { apiKey }),
    ...(say === null ? {} : { say }),
    ...(expected === 'none' || expected === 'default' ? { expectSystem: expected } : {}),
  })
  return { implementation, smoke: () => smokeTest(implementation) }
}

function sayOptions(options: Options): SayOptions | null {
  const given = options.text('say')
  const maxTokens = options.integer('max-tokens', { min: 1, max: 1_000_000 })
  const readsText = options.flag('reads-text')
  if (given === null) {
    const stray = readsText ? 'reads-text' : maxTokens === null ? null : 'max-tokens'
    if (stray !== null) throw new UsageError(`--${stray} needs --say, which is not given.`)
    return null
  }
  const mode = SAY_MODES.find((each) => each === given)
  return mode === undefined ? null : { mode, readsText, maxTokens: maxTokens ?? 2000 }
}
