import { availableParallelism } from 'node:os'
import {
  caseSetVersion,
  oneShotImplementation,
  openHttp,
  openSession,
  poolOf,
  QUESTIONS_AHEAD,
  SAY_MODES,
  smokeTest,
  STRICT,
  wireProfile,
} from '@callspec/conformance'
import type { Implementation, ResultOrigin, SayOptions } from '@callspec/conformance'
import type { Options, Invocation } from '../command.ts'
import { ownVersion } from '../help.ts'
import { quotedLine, shellWord } from '../output.ts'
import { UsageError } from '../usage-error.ts'
import { moduleNamed } from './select.ts'
import type { Selection } from './select.ts'

/** The implementation under test. */
export interface Chosen {
  readonly implementation: Implementation
  /** What sentences to the user call it. */
  readonly you: string
  readonly jobs: number
  /** The words of a command line that choose the same one. */
  readonly words: readonly string[]
  /** null for the built-in one; `module` for a format of the user; else the option that names it. */
  readonly driver: DriverName | 'module' | null
  /** Trivial questions, answered as the protocol says. @throws BrokenImplementation */
  smoke(): Promise<readonly string[]>
}

/** With --say an answer takes longer: the engine generates the whole text. */
const SAY_TIME_LIMIT = 120_000

/** Options that only a server understands. */
const HTTP_ONLY = ['upstream-port', 'model', 'say', 'max-tokens', 'expect-system']

/** Under the name that the user gives it. */
function withName<T extends Pick<Chosen, 'implementation'>>(chosen: T, options: Options): T {
  const name = options.text('name')
  if (name === null) return chosen
  if (name.trim() === '') throw new UsageError('--name was given an empty text. Leave it out or name something.')
  const { implementation } = chosen
  return { ...chosen, implementation: { ...implementation, about: { ...implementation.about, name } } }
}

type DriverName = 'impl' | 'one-shot' | 'http'

interface DriverRequest {
  readonly value: string
  readonly options: Options
  readonly environment: Invocation['environment']
  readonly timeLimit: number
  readonly jobs: number | null
}

type Driver = (request: DriverRequest) => Promise<Omit<Chosen, 'you' | 'words' | 'driver'>>

const DRIVERS: Readonly<Record<DriverName, Driver>> = { impl: session, 'one-shot': oneShot, http: server }

const DRIVER_NAMES = Object.keys(DRIVERS) as readonly DriverName[]

/**
 * Opens what the options name; the built-in implementation when they name nothing.
 *
 * @throws UsageError for contradicting options, BrokenImplementation for a program that does not begin as it should
 */
export async function chooseImplementation({
  options,
  environment,
}: Pick<Invocation, 'options' | 'environment'>): Promise<Chosen> {
  const named = DRIVER_NAMES.filter((name) => options.text(name) !== null)
  const jobs = options.integer('jobs', { min: 1, max: 256 })
  const timeLimit = options.integer('time-limit', { min: 1, max: 86_400_000 })
  const [driver, other] = named
  if (other !== undefined) throw new UsageError(`--${driver ?? ''} and --${other} name two implementations. Give one.`)
  const stray = driver === 'http' ? undefined : HTTP_ONLY.find((name) => options.text(name) !== null)
  if (stray !== undefined) throw new UsageError(`--${stray} needs --http URL, which is not given.`)
  if (options.text('seed') !== null) throw new UsageError('--seed needs --client COMMAND, which is not given.')
  const module = await moduleNamed(options)
  if (module !== null && driver !== undefined)
    throw new UsageError(`--format ${module.path} and --${driver} name two implementations. Give one.`)
  if (module !== null) {
    const profiles = options.list('profile').map(wireProfile)
    const words = ['--format', shellWord(module.path), ...profileWords(options)]
    const { moduleImplementation } = await import('./module-format.ts')
    const implementation = moduleImplementation(module, profiles)
    return { implementation, you: 'your format', jobs: 1, words, driver: 'module', smoke: noQuestions }
  }
  if (driver === undefined) {
    // Only here: the cases of a foreign program run without the operations of callspec.
    const { builtInImplementation } = await import('@callspec/conformance/built-in')
    const implementation = builtInImplementation(await ownVersion())
    return { implementation, you: 'callspec', jobs: 1, words: [], driver: null, smoke: noQuestions }
  }
  const value = options.text(driver) ?? ''
  if (value.trim() === '')
    throw new UsageError(`--${driver} was given an empty text. Name a ${driver === 'http' ? 'server' : 'command'}.`)
  const usual = options.text('say') === null ? 5000 : SAY_TIME_LIMIT
  const chosen = await DRIVERS[driver]({ value, options, environment, timeLimit: timeLimit ?? usual, jobs })
  return {
    ...withName(chosen, options),
    you: driver === 'http' ? 'your server' : 'your parser',
    driver,
    words: [`--${driver}`, shellWord(value), ...moreWords(driver, options)],
  }
}

function profileWords(options: Options): readonly string[] {
  return options.list('profile').flatMap((profile) => ['--profile', shellWord(profile)])
}

/** Options that a program cannot declare itself: part of every command line that runs it. */
function moreWords(driver: DriverName, options: Options): readonly string[] {
  const claimed = driver === 'impl' ? [] : ['format', 'op', 'profile']
  const known = claimed.flatMap((name) => options.list(name).flatMap((value) => [`--${name}`, shellWord(value)]))
  const given = [...HTTP_ONLY, 'name', 'time-limit'].flatMap((name) => {
    const value = options.text(name)
    return value === null ? [] : [`--${name}`, shellWord(value)]
  })
  return [...known, ...given, ...(options.flag('reads-text') ? ['--reads-text'] : [])]
}

async function session({ value, timeLimit, jobs }: DriverRequest): ReturnType<Driver> {
  const version = await ownVersion()
  const open = (): Promise<Implementation> => openSession(value, { timeLimit, version })
  const implementation = poolOf(await open(), jobs ?? 1, open)
  return { implementation, jobs: (jobs ?? 1) * QUESTIONS_AHEAD, smoke: () => smokeTest(implementation) }
}

function oneShot({ value, options, timeLimit, jobs }: DriverRequest): ReturnType<Driver> {
  const formats = options.list('format')
  if (formats.length === 0) {
    throw new UsageError('--one-shot needs --format: such a program cannot say which formats it reads.')
  }
  const given = { operations: options.list('op'), profiles: options.list('profile').map(wireProfile) }
  const claim = {
    operations: given.operations.length === 0 ? ['parse'] : given.operations,
    formats,
    profiles: given.profiles.length === 0 ? [STRICT] : given.profiles,
  }
  const implementation = oneShotImplementation(value, { timeLimit, supports: [claim] })
  const smoke = (): Promise<readonly string[]> => smokeTest(implementation, { mustAccept: true })
  return Promise.resolve({ implementation, jobs: jobs ?? availableParallelism(), smoke })
}

async function server({ value, options, environment, timeLimit, jobs }: DriverRequest): ReturnType<Driver> {
  // Only here: reading addresses loads the client of evaluations.
  const { checkUrl } = await import('../eval/endpoint.ts')
  checkUrl(value)
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
  const implementation = await openHttp(value, {
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
  return { implementation, jobs: jobs ?? 1, smoke: () => smokeTest(implementation) }
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

function noQuestions(): Promise<readonly string[]> {
  return Promise.resolve([])
}

/** The cases and the implementation that results are of. */
export function originOf({ isBuiltIn }: Selection, { implementation: { about }, driver }: Chosen): ResultOrigin {
  // One-shot programs and modules cannot say their version.
  const implementation = driver === 'one-shot' || driver === 'module' ? about.name : `${about.name} ${about.version}`
  return { cases: isBuiltIn ? caseSetVersion() : null, implementation }
}

/** The same in one line; null where the built-in implementation answered cases of the user's own. */
export function originText({ cases }: ResultOrigin, chosen: Chosen): string | null {
  const version = cases === null ? null : `cases ${cases}`
  if (chosen.driver === null) return version === null ? null : `${version}, ${aboutText(chosen)}`
  return [aboutText(chosen), ...(version === null ? [] : [version])].join(', ')
}

function aboutText({ implementation: { about }, driver }: Chosen): string {
  if (driver === 'one-shot') return `${quotedLine(about.name, 80)}, one process per case, smoke test passed`
  if (driver === 'module') return `${quotedLine(about.name, 80)}, called in this process`
  const name = `${quotedLine(about.name, 80)} ${quotedLine(about.version, 40)}`
  if (driver === null) return name
  const language = about.language === undefined ? '' : ` (${quotedLine(about.language, 40)})`
  return `${name}${language}, protocol 1, smoke test passed`
}
