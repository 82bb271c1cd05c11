import type { Law } from '@callspec/fuzz'
import { isLawId, LAWS, lawsNamed } from '@callspec/fuzz'
import { durationFrom } from '../arguments.ts'
import type { ExitCode, Invocation, Options } from '../command.ts'
import { EXIT } from '../command.ts'
import type { Interrupt } from '../environment.ts'
import { listenForInterrupt } from '../environment.ts'
import { chooseFormat, WHICH_FORMAT } from '../formats.ts'
import { shellWord } from '../output.ts'
import { UsageError } from '../usage-error.ts'
import type { Budget, CampaignState } from './campaign.ts'
import { runCampaign } from './campaign.ts'
import type { ChosenSubject, SubjectRequest } from './choose-subject.ts'
import { chooseSubject } from './choose-subject.ts'
import type { PrintedCampaign } from './print-campaign.ts'
import { campaignJson, printCampaign, printTotal, progressText, writeFuzzPage } from './print-campaign.ts'
import { campaignEnd, openWorkers, searchOnce } from './search-batch.ts'
import { checkFolder } from '../write-file.ts'
import { readCorpus, REGRESSION_FOLDER, replaySaved, saveFindings } from './text-files.ts'

/** Searches the named formats in turn, or checks kept findings. */
export async function runFuzz(invocation: Invocation): Promise<ExitCode> {
  const { options, output } = invocation
  const requests = requestsOf(options)
  const [first] = requests
  if (options.list('replay').length > 0) return replaySaved(invocation, first ?? null)
  if (first === undefined) throw new UsageError(`Which format? ${WHICH_FORMAT}.`)
  const folder = folderToSave(options)
  if (folder !== null) await checkFolder(folder)
  // Before Ctrl-C is caught, since a corpus may be a pipe without an end.
  const corpus = options.text('corpus')
  const texts = corpus === null ? null : await readCorpus(corpus)
  const interrupt = listenForInterrupt(output, 'callspec: stopping. What was found so far:')
  try {
    const searched = await searchAll(invocation, requests, { texts, interrupt })
    if (options.flag('json')) {
      const found = searched.map(({ state, about }) => campaignJson(state, about))
      output.line(JSON.stringify(requests.length > 1 ? found : found[0], null, 2))
    } else if (requests.length > 1)
      printTotal(
        searched.map(({ state }) => state),
        { seed: seedOf(invocation), output },
      )
    if (searched.some(({ state }) => state.causes.length > 0)) return EXIT.disagreement
    return interrupt.drain.aborted ? EXIT.interrupted : EXIT.ok
  } finally {
    interrupt.stop()
  }
}

interface Searched {
  readonly state: CampaignState
  readonly about: PrintedCampaign
}

/** Findings of a format are printed and kept before the next one is searched. */
async function searchAll(
  invocation: Invocation,
  requests: readonly SubjectRequest[],
  { texts, interrupt }: Pick<Search, 'texts' | 'interrupt'>,
): Promise<readonly Searched[]> {
  const { options, output } = invocation
  const whole = budgetOf(options)
  // An unknown name is reported before the first search.
  for (const { format, profile, impl } of requests) await chooseFormat(format, impl === null ? profile : null)
  const start = performance.now()
  const searched: Searched[] = []
  for (const [index, request] of requests.entries()) {
    if (interrupt.drain.aborted) break
    const chosen = await chooseSubject(request)
    try {
      const left = requests.length - index
      const budget = shareOf(whole, { spent: performance.now() - start, left })
      const one = await searchFormat(invocation, { request, chosen, budget, texts, interrupt })
      searched.push(one)
      if (!options.flag('json')) printCampaign(one.state, one.about, output)
      if (!options.flag('json') && left > 1) output.line()
      await save(one.state, invocation, chosen)
      await writeFuzzPage(one.state, { ...one.about, chosen }, invocation)
    } finally {
      await chosen.close()
    }
  }
  return searched
}

/** Formats share the time; what one does not use is left for the next ones. */
function shareOf(whole: Budget, { spent, left }: { readonly spent: number; readonly left: number }): Budget {
  return whole.kind === 'runs' ? whole : { kind: 'time', ms: Math.max(0, whole.ms - spent) / left }
}

interface Search {
  readonly request: SubjectRequest
  readonly chosen: ChosenSubject
  readonly budget: Budget
  /** Texts of the corpus; null for generated ones. */
  readonly texts: readonly string[] | null
  readonly interrupt: Interrupt
}

async function searchFormat(invocation: Invocation, search: Search): Promise<Searched> {
  const { options, output } = invocation
  const { request, chosen, texts, interrupt } = search
  const laws = lawsOf(options, chosen)
  const seed = seedOf(invocation)
  const path = findingPath(options, laws)
  const threads =
    chosen.kind === 'in-process' && request.jobs > 1 ? openWorkers(request.jobs, { ...request, texts }) : null
  const budget: Budget = path === null ? search.budget : { kind: 'runs', runs: 1 }
  const end = campaignEnd(budget, interrupt.drain)
  const { signal } = end
  signal.addEventListener('abort', () => threads?.stop())
  try {
    const state = await runCampaign({
      ...{ budget, seed, signal, width: request.jobs },
      clock: () => performance.now(),
      onBatch: (now) => {
        if (output.showsProgress && now.seconds >= 2) output.progress(progressText(now))
      },
      search: (batch) =>
        searchOnce(chosen, { ...batch, ...{ threads, texts, path, signal }, laws: laws.filter(isLeft(batch)) }),
    })
    output.progressDone()
    return { state, about: { seed, laws, name: chosen.subject.name, again: wordsOf(options, request.format) } }
  } finally {
    end.stop()
    await threads?.close()
  }
}

function isLeft({ without }: { readonly without: ReadonlySet<string> }): (law: Law) => boolean {
  return ({ id }) => !without.has(id)
}

function seedOf({ options }: Invocation): number {
  return options.integer('seed', { min: 0, max: 2 ** 31 - 1 }) ?? 0
}

async function save({ causes }: CampaignState, { options, output }: Invocation, chosen: ChosenSubject): Promise<void> {
  const folder = folderToSave(options)
  if (folder === null || causes.length === 0) return
  const findings = causes.map(({ finding }) => finding)
  const paths = await saveFindings(findings, { folder, format: chosen.formatId, profile: chosen.profile })
  for (const path of paths) output.note(`kept ${path}`)
}

/** The folder of `--save`; null if nothing is kept. */
function folderToSave(options: Options): string | null {
  const given = options.text('save')
  return given === '' ? REGRESSION_FOLDER : given
}

/** One request per format, in the order of the command line. */
export function requestsOf(options: Options): readonly SubjectRequest[] {
  const impl = options.text('impl')
  if (impl?.trim() === '') throw new UsageError('--impl was given an empty text. Name a command.')
  const common = {
    profile: options.text('profile'),
    impl,
    jobs: options.integer('jobs', { min: 1, max: 64 }) ?? 1,
    timeLimit: options.integer('time-limit', { min: 1, max: 86_400_000 }) ?? 5000,
  }
  const named = options.list('format').filter((format) => format !== '')
  const requests = [...new Set(named)].map((format) => ({ format, ...common }))
  const ofOne = (['path', 'html', 'replay'] as const).find((name) => options.list(name).length > 0)
  if (requests.length > 1 && ofOne !== undefined)
    throw new UsageError(`--${ofOne} is of one format. Give one --format.`)
  return requests
}

/** @throws UsageError if none of the laws applies to the parser */
export function lawsOf(options: Options, { subject }: ChosenSubject): readonly Law[] {
  const named = options.list('law').filter(isLawId)
  const laws = named.length === 0 ? LAWS : lawsNamed(named)
  const applying = laws.filter((law) => law.applies(subject))
  if (applying.length === 0)
    throw new UsageError(`${named.join(', ')}: cannot be asked of ${subject.name}, see docs/laws.md.`)
  return applying
}

export function findingPath(options: Options, laws: readonly Law[]): string | null {
  const path = options.text('path')
  if (path === null) return null
  if (!/^\d+(?::\d+)*$/.test(path)) throw new UsageError(`--path "${path}" is not a path. Copy it from a finding.`)
  if (laws.length !== 1) throw new UsageError('--path belongs to one law. Give --law as the finding prints it.')
  return path
}

const MAX_TIME_MS = 7 * 86_400_000

/** @throws UsageError for both a number of runs and a time */
export function budgetOf(options: Options): Budget {
  const runs = options.integer('runs', { min: 1, max: 1e9 })
  const time = options.text('time')
  if (time === null) return { kind: 'runs', runs: runs ?? 1000 }
  if (runs !== null) throw new UsageError('--runs and --time contradict each other. Give one.')
  return { kind: 'time', ms: durationFrom('--time', time, { min: 1, max: MAX_TIME_MS }) }
}

/** The words of the command line that choose the parser. */
export function wordsOf(options: Options, format: string): string {
  const words = ['profile', 'impl', 'corpus', 'time-limit'].flatMap((name) => {
    const value = options.text(name)
    return value === null ? [] : [`--${name}`, shellWord(value)]
  })
  return ['callspec fuzz --format', shellWord(format), ...words].join(' ')
}
