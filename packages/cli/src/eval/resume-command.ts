import type { Options, OptionSpec } from '../command.ts'
import { shellWord } from '../conformance/shell-word.ts'
import { EVAL_OPTIONS } from './options.ts'
import { PLAN_OPTIONS } from './resume.ts'

/** What the folder says by itself, what was for the beginning alone, and what has no meaning then. */
const LEFT_OUT: ReadonlySet<string> = new Set([...PLAN_OPTIONS, 'resume', 'record', 'watch', 'base-url'])

/** The command that goes on with a run: the folder, and every option that was given and is not in it. */
export function resumeCommand(folder: string, { given, configPath }: ResumeWith): string {
  const options = Object.entries(EVAL_OPTIONS).flatMap(([name, spec]) =>
    LEFT_OUT.has(name) ? [] : wordsOf(name, spec, given),
  )
  const config = configPath === null || given.text('config') !== null ? [] : [`-c ${shellWord(configPath)}`]
  return ['callspec eval --resume', shellWord(folder), ...config, ...options].join(' ')
}

/** How the run was begun. */
export interface ResumeWith {
  /** Flags alone. */
  readonly given: Options
  /** The configuration, if it was named without its option. */
  readonly configPath: string | null
}

function wordsOf(name: string, { value, negatable, repeat }: OptionSpec, given: Options): readonly string[] {
  if (value === undefined) {
    const choice = negatable === true ? given.choice(name) : given.flag(name) ? true : null
    return choice === null ? [] : [`--${choice ? '' : 'no-'}${name}`]
  }
  const text = repeat === true ? null : given.text(name)
  const values = repeat === true ? given.list(name) : text === null ? [] : [text]
  return values.map((each) => `--${name} ${shellWord(each)}`)
}
