import { openHttp, SAY_MODES, smokeTest, wireProfile } from '@callspec/conformance'
import type { Implementation, SayOptions } from '@callspec/conformance'
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
  say: {
    help: 'With --http: make the engine say the texts of parse and stream by constrained decoding, and judge what it reads: auto, grammar (llama.cpp, SGLang), choice (vLLM) or regex (SGLang).',
    value: 'MODE',
    choices: SAY_MODES,
  },
  'reads-text': {
    help: 'With --say: the engine finds calls in text alone, as llama.cpp does, so that it does not matter as which tokens a marker was said.',
  },
  'max-tokens': { help: 'With --say: skip texts of more tokens. Default: 2000.', value: 'N' },
  'expect-system': {
    help: 'With --http: whether a prompt should have a default system message where the conversation has none. Default: either is right, and told.',
    value: 'WHAT',
    choices: ['none', 'default'],
  },
  model: {
    short: 'm',
    help: 'With --http: the model to ask for. Default: the first that the server lists.',
    value: 'NAME',
  },
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
  const say = sayOptions(options)
  const expected = options.text('expect-system')
  if (say !== null && upstreamPort !== null) {
    throw new UsageError('--say speaks through the engine itself, --upstream-port in its place. Give one.')
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

/** Said texts take longer than a request that is only read. */
export const SAY_TIME_LIMIT = 120_000

function sayOptions(options: Options): SayOptions | null {
  const given = options.text('say')
  const maxTokens = options.integer('max-tokens', { min: 1, max: 1_000_000 })
  const readsText = options.flag('reads-text')
  if (given === null) {
    const stray = readsText ? 'reads-text' : maxTokens === null ? null : 'max-tokens'
    if (stray !== null) throw new UsageError(`--${stray} says something about --say, which is not given.`)
    return null
  }
  const mode = SAY_MODES.find((each) => each === given)
  return mode === undefined ? null : { mode, readsText, maxTokens: maxTokens ?? 2000 }
}
