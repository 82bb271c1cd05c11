import { builtInCases, findCaseFiles, matches, readCases, wireProfile } from '@callspec/conformance'
import type { Case, CaseFile, OnUnusable } from '@callspec/conformance'
import type { Options, OptionTable } from '../command.ts'
import type { ModuleFormat, WholeFormat } from '../formats.ts'
import { FORMAT_NAMES } from '../formats.ts'
import { didYouMean } from '../nearest.ts'
import type { Output } from '../output.ts'
import { UsageError } from '../usage-error.ts'
import { moduleAsked } from './module-format.ts'

/** The options that say which cases are meant. */
export const SELECTION: OptionTable = {
  cases: {
    help: 'PATH as an option: case files (JSON Lines with "op", "input", and "expected" or "error"; or fixtures with golden twins), folders of them, or globs. Default: the built-in cases.',
    value: 'PATH',
    repeat: true,
  },
  op: { help: 'Only cases of this operation; * stands for any text.', value: 'NAMES', repeat: true, isList: true },
  format: {
    short: 'f',
    help: 'Only cases about this format; * stands for any text. With a file such as ./my-format.mjs: cases about the format with the id of the one that it exports as "format"; run calls that instead of the built-in one, under strict unless --profile is given.',
    value: 'NAMES',
    suggested: FORMAT_NAMES,
    repeat: true,
    isList: true,
  },
  profile: {
    help: 'Only cases of this version: strict, qwen-agent@main, v0.0.26, ...; * stands for any text.',
    value: 'NAMES',
    repeat: true,
    isList: true,
  },
  id: { help: 'Only the case with this id; * stands for any text.', value: 'ID', repeat: true },
}

/** The cases that a command line asks for. */
export interface Selection {
  readonly files: readonly CaseFile[]
  /** Whether these are the cases that come with callspec. */
  readonly isBuiltIn: boolean
  /** Reads them, one at a time. `leaveOut` is told of cases that cannot be used; without it they end the reading. */
  cases(output: Output, leaveOut?: OnUnusable): AsyncIterable<Case>
  /** What to say when there was none. */
  nothing(): UsageError
}

/**
 * Finds the files and notes what is selected of them.
 *
 * @throws UsageError for an empty value, InputError for a path that leads nowhere
 */
export async function readSelection(options: Options, positionals: readonly string[]): Promise<Selection> {
  const paths = [...options.list('cases'), ...positionals]
  const module = await moduleAsked(options)
  const valuesOf = (name: string): readonly string[] =>
    name === 'format' && module !== null ? [module.format.id] : options.list(name)
  const filters = FILTERS.map(({ name, of, read }) => ({ name, of, patterns: valuesOf(name).map(read) }))
  for (const { name, patterns } of [...filters, { name: 'cases', patterns: paths }]) {
    if (patterns.includes(''))
      throw new UsageError(`--${name} was given an empty text. Leave it out or name something.`)
  }
  const files = await findCaseFiles(paths.length > 0 ? paths : [await builtInCases()])
  const asked = filters.filter(({ patterns }) => patterns.length > 0)
  const passedOver = new Set<string>()
  let isFormatKnown = false
  return {
    files,
    isBuiltIn: paths.length === 0,
    async *cases(output, leaveOut) {
      for await (const item of readCases(files, output.warn, leaveOut)) {
        isFormatKnown ||= item.format === module?.format.id
        const failing = asked.find(({ of, patterns }) => !of(item).some((name) => matches(patterns, name)))
        if (failing === undefined) yield item
        else if (failing === asked[0] && passedOver.size < MAX_HINTS)
          failing.of(item).forEach((name) => passedOver.add(name))
      }
    },
    nothing: () => (module === null || isFormatKnown ? nothingSelected(asked, passedOver) : noCasesFor(module)),
  }
}

function noCasesFor({ format, path }: ModuleFormat | WholeFormat): UsageError {
  return new UsageError(`there are no cases about "${format.id}", the format of ${path}. Name some with --cases.`)
}

interface Filter {
  readonly name: string
  /** The names by which it may be asked for. */
  readonly of: (item: Case) => readonly string[]
  readonly read: (value: string) => string
}

const FILTERS: readonly Filter[] = [
  { name: 'op', of: ({ op }) => [op], read: (value) => value },
  { name: 'format', of: ({ format }) => (format === undefined ? [] : [format]), read: (value) => value },
  { name: 'profile', of: ({ profile }) => [profile, wireProfile(profile)], read: (value) => value },
  { name: 'id', of: ({ id }) => [id], read: (value) => value },
]

/** For a hint, the values of so many cases are enough. */
const MAX_HINTS = 10_000

function nothingSelected(
  asked: readonly { readonly name: string; readonly patterns: readonly string[] }[],
  passedOver: ReadonlySet<string>,
): UsageError {
  const [first, ...more] = asked
  if (first === undefined) return new UsageError('no case was found in the files given with --cases')
  const what = `the ${NOUN[first.name] ?? first.name} ${first.patterns.join(' or ')}`
  const also = more.map(({ name, patterns }) => ` and the ${NOUN[name] ?? name} ${patterns.join(' or ')}`).join('')
  const hint = didYouMean(first.patterns[0] ?? '', passedOver)
  return new UsageError(`no case was selected: none has ${what}${also}.${hint}`)
}

const NOUN: Readonly<Record<string, string>> = { op: 'operation' }
