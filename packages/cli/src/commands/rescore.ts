import { join } from 'node:path'
import type { EpisodeScore, Suite } from '@callspec/eval'
import { readSummary, rescore, SCORER_VERSION, scorerChangesSince } from '@callspec/eval'
import { plural } from '@callspec/eval/text'
import type { Command, ExitCode, Invocation, OptionTable } from '../command.ts'
import { objectIn } from '../data-file.ts'
import { finishRun, readOutputs } from '../eval/finish.ts'
import { readGates } from '../eval/gates.ts'
import { loadModulesOf, warnOfChanged } from '../eval/module-formats.ts'
import { SCORING_OPTIONS, TASK_OPTIONS } from '../eval/options.ts'
import { readScores, REPORT_FILES } from '../eval/report-files.ts'
import { runFolderOf } from '../eval/run-names.ts'
import { readSuiteFile } from '../eval/suite-file.ts'
import { readEvalContext } from '../eval/context.ts'
import { refusePipe, textOfFile } from '../input-file.ts'
import { UsageError } from '../usage-error.ts'
import { workProgress } from '../work-progress.ts'

const RESCORE_OPTIONS: OptionTable = {
  suite: { ...TASK_OPTIONS['suite'], help: 'Judge by this suite. Default: the one in the folder.' },
  'dry-run': { help: 'Write nothing into the folder.' },
  ...SCORING_OPTIONS,
}

export const rescoreCommand: Command = {
  name: 'rescore',
  usage: ['rescore RUN [--suite FILE] [options]'],
  about:
    'Scores a recorded run with the current scorer, without requests. Writes summary and reports of the folder again and ' +
    'prints how many labels changed. RUN is a folder, its name in reports/, or latest.',
  maxPositionals: 1,
  takesRuns: true,
  options: RESCORE_OPTIONS,
  examples: ['callspec rescore latest', 'callspec rescore latest --suite my.eval.ts --json'],
  notes: [
    'Exit codes: 0 done and every gate is met; 1 a gate is not met; 2 misuse, or a folder that cannot be read; 3 no ' +
      'verdict: too many episodes failed on the way to the server.',
  ],
  run: runRescore,
}

async function runRescore(invocation: Invocation): Promise<ExitCode> {
  const { positionals, output } = invocation
  const context = await readEvalContext(invocation, RESCORE_OPTIONS, 'when-named')
  const { options, given, environment } = context
  const [word] = positionals
  if (word === undefined) throw new UsageError('callspec rescore needs a run folder, or latest.')
  const folder = await runFolderOf(word, options.reports ?? 'reports')
  const ownFormats = await loadModulesOf(folder, {
    allowed: context.given['allow-format'],
    whenChanged: warnOfChanged(output),
  })
  const [outputs, gates, suite] = [
    readOutputs(options),
    await readGates(context, ownFormats),
    await givenSuite(given.suite),
  ]
  for (const name of [REPORT_FILES.jsonl, REPORT_FILES.json]) await refusePipe(join(folder, name))
  const isDry = options['dry-run']
  const acceptEdited = options['accept-edited']
  // A dry run writes no results: files, --verbose and --baseline show those of the folder, which must be unchanged.
  if (isDry && (outputs.files.length + outputs.inFolder.length > 0 || outputs.verbose || options.baseline !== null))
    readSummary(folder, { acceptEdited, ownFormats })
  const [changes, scorer] = [await countChanges(folder), await scorerOf(folder)]
  const progress = workProgress({ output, noun: 'episode', of: changes.before || undefined })
  let scored = 0
  const summary = rescore(folder, {
    ...(suite === null ? {} : { suite }),
    write: !isDry,
    acceptEdited,
    ownFormats,
    onEpisode: ({ score }) => {
      changes.add(score)
      progress.step((scored += 1))
    },
  })
  output.progressDone()
  for (const text of [...scorerNotes(scorer), ...changes.text()]) output.note(text)
  return finishRun(
    { folder, summary, leftOut: [] },
    { output, environment, outputs, gates, ownFormats, writesPage: !isDry },
  )
}

async function givenSuite(path: string | null): Promise<Suite | null> {
  return path === null ? null : (await readSuiteFile(path)).suite
}

/** The scorer of the folder's summary; null if it names none. */
async function scorerOf(folder: string): Promise<string | null> {
  const scorer = objectIn((await textOfFile(join(folder, REPORT_FILES.json))) ?? '')?.['scorer']
  return typeof scorer === 'string' && /^\d{1,6}$/.test(scorer) ? scorer : null
}

function scorerNotes(before: string | null): readonly string[] {
  if (before === null || before === SCORER_VERSION) return []
  return [`scorer ${before} before, ${SCORER_VERSION} now:`, ...scorerChangesSince(before).map((each) => `- ${each}`)]
}

interface Changes {
  /** How many episodes were scored before. */
  readonly before: number
  add(score: EpisodeScore): void
  text(): readonly string[]
}

/** Counts episodes and turns whose labels changed. */
async function countChanges(folder: string): Promise<Changes> {
  const before = new Map((await readScores(folder).catch(() => [])).map((score) => [scoreKey(score), score]))
  const counts = { episodes: 0, changedEpisodes: 0, turns: 0, changedTurns: 0, blamed: 0 }
  return {
    before: before.size,
    add: (score) => {
      const old = before.get(scoreKey(score))
      counts.episodes += 1
      counts.turns += score.turns.length
      if (old === undefined) return
      if (old.end !== score.end || old.success !== score.success) counts.changedEpisodes += 1
      if (old.attribution?.blames !== score.attribution?.blames) counts.blamed += 1
      counts.changedTurns += score.turns.filter(
        ({ strict, lenient }, index) => old.turns[index]?.strict !== strict || old.turns[index]?.lenient !== lenient,
      ).length
    },
    text: () => {
      if (before.size === 0) return []
      const { changedEpisodes, episodes, changedTurns, turns, blamed } = counts
      const labels = `otherwise than before: ${changedEpisodes} of ${plural(episodes, 'episode')}, ${changedTurns} of ${plural(turns, 'turn')}`
      return [
        labels,
        ...(blamed === 0 ? [] : [`blamed differently than before: ${blamed} of ${plural(episodes, 'episode')}`]),
      ]
    },
  }
}

function scoreKey({ key }: EpisodeScore): string {
  return JSON.stringify([key.model, key.protocol, key.task, key.sample])
}
