import { isLawId, LAW_IDS, LAWS, lawsNamed } from '@callspec/fuzz'
import type { Law, LawId } from '@callspec/fuzz'
import { EXAMPLE_FORMAT, FORMAT_NAMES } from '../formats.ts'
import type { Command, Invocation, Options } from '../command.ts'
import { listenForInterrupt } from '../eval/interrupt.ts'
import { EXIT } from '../exit-codes.ts'
import type { ExitCode } from '../exit-codes.ts'
import { runCampaign } from '../fuzz/campaign.ts'
import type { Budget, CampaignState } from '../fuzz/campaign.ts'
import { chooseSubject } from '../fuzz/choose-subject.ts'
import type { ChosenSubject, SubjectRequest } from '../fuzz/choose-subject.ts'
import { readCorpus } from '../fuzz/corpus.ts'
import { milliseconds } from '../fuzz/duration.ts'
import { openWorkers } from '../fuzz/in-workers.ts'
import { writeFuzzPage } from '../fuzz/fuzz-page.ts'
import { printCampaign, progressText } from '../fuzz/print-campaign.ts'
import { replaySaved } from '../fuzz/replay-saved.ts'
import { REGRESSION_FOLDER, saveFindings } from '../fuzz/save-findings.ts'
import { endOf, searchOnce } from '../fuzz/search-once.ts'
import { shellWord } from '../conformance/shell-word.ts'
import { didYouMean } from '../nearest.ts'
import { UsageError } from '../usage-error.ts'

export const command: Command = {
  name: 'fuzz',
  usage: [
    'fuzz --format NAME [options]',
    "fuzz --format NAME --impl 'COMMAND' [options]",
    'fuzz --replay PATH ... [options]',
  ],
  about:
    'Searches for texts with which a parser of tool calls breaks a law: that it throws, that its answer depends on how the ' +
    'stream was cut, that it loses text, reads a call in a thought, takes quadratic time. Texts are made of the ' +
    "format's own markers; each violation is shrunk to a case that can be pasted into a report. Searches the built-in parsers, " +
    'a module of yours, or any program that speaks the protocol.',
  options: {
    format: {
      help: `Format of the texts: ${FORMAT_NAMES.join(', ')}, or a module with a format as its export "format".`,
      value: 'NAME',
      suggested: FORMAT_NAMES,
    },
    profile: {
      help: "Version of the reference, such as v0.0.26; with --impl the profile that is asked for. Default: the format's own, and strict.",
      value: 'NAME',
    },
    impl: {
      help: 'Search a program that speaks the protocol in a session (docs/protocol.md). Run by sh -c in the current folder.',
      value: 'COMMAND',
    },
    law: {
      help: `Check only this law: ${LAW_IDS.join(', ')}. Default: all that apply.`,
      value: 'NAME',
      repeat: true,
      suggested: LAW_IDS,
    },
    runs: { help: 'Texts for every group of laws that need the same kind of text. Default 1000.', value: 'N' },
    time: { help: 'Go on for so long instead: 60s, 10m, 8h.', value: 'TIME' },
    seed: { help: 'Where the texts begin. The same seed gives the same texts. Default 0.', value: 'N' },
    path: { help: 'Of a finding: see it again. Needs its --law and --seed.', value: 'PATH' },
    jobs: { help: 'Threads, or processes of --impl, at a time. Default 1.', value: 'N' },
    corpus: {
      help: 'Draw texts from recorded outputs, as they are and with small changes: a folder or file, JSON Lines or plain.',
      value: 'PATH',
    },
    'time-limit': { help: 'Milliseconds for one answer of --impl. Default 5000.', value: 'MS' },
    save: {
      help: 'Keep findings as cases in DIR, where --replay checks them. Default: fixtures/laws/regressions.',
      value: 'DIR',
      whenBare: '',
    },
    replay: { help: 'Check kept cases, files or folders, instead of searching.', value: 'PATH', repeat: true },
    html: { help: 'Write what was found as a page to FILE.', value: 'FILE' },
    json: { help: 'Print everything as JSON.' },
  },
  examples: [
    `callspec fuzz --format ${EXAMPLE_FORMAT}`,
    `callspec fuzz --format ${EXAMPLE_FORMAT} --profile v0.0.16 --law split-invariance --time 60s`,
    `callspec fuzz --format ${EXAMPLE_FORMAT} --impl 'python3 packages/conformance/adapters/python-naive/naive_parser.py'`,
    `callspec fuzz --format ${EXAMPLE_FORMAT} --corpus outputs.jsonl --save`,
  ],
  notes: [
    'docs/laws.md has the laws, and the real problems that they guard against. Ctrl-C ends the search and prints what was found.',
    'The last line is "N texts, N with a call, N violations, seed S". Exit codes: 0 no violation; 1 violations; 2 misuse; 3 broken machinery, such as a program that cannot be started again; 130 after Ctrl-C without a violation.',
  ],
  run,
}

async function run(invocation: Invocation): Promise<ExitCode> {
  const { options } = invocation
  const request = requestOf(options)
  if (options.list('replay').length > 0) return replaySaved(invocation, request)
  if (request === null)
    throw new UsageError(`--format is missing: ${FORMAT_NAMES.join(', ')}, or a file such as ./my-format.mjs`)
  const chosen = await chooseSubject(request)
  try {
    return await search(invocation, request, chosen)
  } finally {
    await chosen.close()
  }
}

function requestOf(options: Options): SubjectRequest | null {
  const format = options.text('format')
  const impl = options.text('impl')
  if (impl?.trim() === '') throw new UsageError('--impl was given an empty text. Name a command.')
  if (format === null || format === '') return null
  return {
    format,
    profile: options.text('profile'),
    impl,
    jobs: options.integer('jobs', { min: 1, max: 64 }) ?? 1,
    timeLimit: options.integer('time-limit', { min: 1, max: 86_400_000 }) ?? 5000,
  }
}

async function search(invocation: Invocation, request: SubjectRequest, chosen: ChosenSubject): Promise<ExitCode> {
  const { options, output } = invocation
  const laws = lawsOf(options, chosen)
  const seed = options.integer('seed', { min: 0, max: 2 ** 31 - 1 }) ?? 0
  const corpus = options.text('corpus')
  const texts = corpus === null ? null : await readCorpus(corpus)
  const path = pathOf(options, laws)
  const threads =
    chosen.kind === 'in-process' && request.jobs > 1 ? openWorkers(request.jobs, { ...request, texts }) : null
  const interrupt = listenForInterrupt(output, 'callspec: stopping. What was found so far:')
  const budget = path === null ? budgetOf(options) : ({ kind: 'runs', runs: 1 } as const)
  const end = endOf(budget, interrupt.drain)
  const { signal } = end
  signal.addEventListener('abort', () => threads?.stop())
  try {
    const state = await runCampaign({
      budget,
      seed,
      width: request.jobs,
      clock: () => performance.now(),
      signal,
      onBatch: (now) => output.progress(progressText(now)),
      search: (batch) =>
        searchOnce(chosen, {
          ...batch,
          threads,
          texts,
          path,
          signal,
          laws: laws.filter(({ id }) => !batch.without.has(id)),
        }),
    })
    output.progressDone()
    const again = wordsOf(options)
    printCampaign(state, { seed, again, laws, name: chosen.subject.name, asJson: options.flag('json') }, output)
    await save(state, invocation, chosen)
    await writeFuzzPage(state, { seed, again, name: chosen.subject.name, chosen }, invocation)
    if (state.causes.length > 0) return EXIT.disagreement
    return interrupt.drain.aborted ? EXIT.interrupted : EXIT.ok
  } finally {
    interrupt.stop()
    end.stop()
    await threads?.close()
  }
}

/** @throws UsageError for an unknown law, and for one that cannot be asked here */
function lawsOf(options: Options, { subject }: ChosenSubject): readonly Law[] {
  const named = options.list('law')
  const unknown = named.find((name) => !isLawId(name))
  if (unknown !== undefined) {
    const meant = didYouMean(unknown, LAW_IDS)
    throw new UsageError(`--law "${unknown}" is unknown.${meant} Known: ${LAW_IDS.join(', ')}.`)
  }
  const laws = named.length === 0 ? LAWS : lawsNamed(named.filter((name): name is LawId => isLawId(name)))
  const applying = laws.filter((law) => law.applies(subject))
  if (applying.length === 0)
    throw new UsageError(`${named.join(', ')}: cannot be asked of ${subject.name}, see docs/laws.md.`)
  return applying
}

function pathOf(options: Options, laws: readonly Law[]): string | null {
  const path = options.text('path')
  if (path === null) return null
  if (!/^\d+(?::\d+)*$/.test(path)) throw new UsageError(`--path "${path}" is none; a finding prints its own.`)
  if (laws.length !== 1) throw new UsageError('--path belongs to one law. Give --law as the finding prints it.')
  return path
}

/** @throws UsageError for both a number of runs and a time */
function budgetOf(options: Options): Budget {
  const runs = options.integer('runs', { min: 1, max: 1e9 })
  const time = options.text('time')
  if (time === null) return { kind: 'runs', runs: runs ?? 1000 }
  if (runs !== null) throw new UsageError('--runs and --time contradict each other. Give one.')
  return { kind: 'time', ms: milliseconds(time, 'time') }
}

/** The words of the command line that say what is searched. */
function wordsOf(options: Options): string {
  const words = ['format', 'profile', 'impl', 'corpus', 'time-limit'].flatMap((name) => {
    const value = options.text(name)
    return value === null ? [] : [`--${name}`, shellWord(value)]
  })
  return `callspec fuzz ${words.join(' ')}`
}

async function save({ causes }: CampaignState, { options, output }: Invocation, chosen: ChosenSubject): Promise<void> {
  const given = options.text('save')
  if (given === null || causes.length === 0) return
  const folder = given === '' ? REGRESSION_FOLDER : given
  const findings = causes.map(({ finding }) => finding)
  const paths = await saveFindings(findings, { folder, format: chosen.formatId, profile: chosen.profile })
  for (const path of paths) output.note(`kept ${path}`)
}
