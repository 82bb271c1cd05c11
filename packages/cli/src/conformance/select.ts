import type { Case, CaseFile, OnUnusable, CutName } from '@callspec/conformance'
import {
  builtInCases,
  currentId,
  findCaseFiles,
  matches,
  readCases,
  wireProfile,
  CUT_NAMES,
  familyOf,
} from '@callspec/conformance'
import type { Options } from '../command.ts'
import type { ModuleFormat, WholeFormat } from '../formats.ts'
import { chooseModule } from '../formats.ts'
import { isModulePath } from '../input-file.ts'
import { didYouMean, UsageError } from '../usage-error.ts'
import type { Output } from '../output.ts'
import { inert } from '../output.ts'
import { ALL_CUTS } from './options.ts'

/** The cases that a command line selects. */
export interface Selection {
  readonly files: readonly CaseFile[]
  /** Whether these are the cases that come with callspec. */
  readonly isBuiltIn: boolean
  /** Reads them, one at a time. `leaveOut` receives unusable cases; without it the first one ends the reading. */
  cases(output: Output, leaveOut?: OnUnusable): AsyncIterable<Case>
  /** The error for an empty selection. */
  nothing(): UsageError
}

/**
 * Finds the files and the filters that the options name.
 *
 * @throws UsageError for an empty value, InputError for a path that does not exist
 */
export async function readSelection(options: Options, positionals: readonly string[]): Promise<Selection> {
  const paths = [...options.list('cases'), ...positionals]
  const module = await moduleNamed(options)
  const valuesOf = (name: string): readonly string[] =>
    name === 'format' && module !== null ? [module.format.id] : options.list(name)
  const renamed = new Map(options.list('id').flatMap((id) => (currentId(id) === id ? [] : [[currentId(id), id]])))
  const filters = FILTERS.map(({ name, of, read }) => {
    const patterns = valuesOf(name).map(read)
    return { name, of, patterns: name === 'id' ? [...patterns, ...renamed.keys()] : patterns }
  })
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
        if (failing === undefined) {
          const old = renamed.get(item.id)
          if (old !== undefined) output.note(`callspec: the case "${inert(old)}" is now "${inert(item.id)}".`)
          yield item
        } else if (failing === asked[0] && passedOver.size < MAX_HINTS)
          failing.of(item).forEach((name) => passedOver.add(name))
      }
    },
    nothing: () => (module === null || isFormatKnown ? nothingSelected(asked, passedOver) : noCasesFor(module)),
  }
}

/**
 * The module that `--format` names; null when it names none.
 *
 * @throws UsageError for a module without a usable `format`, and for a second --format
 */
export async function moduleNamed(options: Options): Promise<ModuleFormat | WholeFormat | null> {
  const named = options.list('format')
  const path = named.find(isModulePath)
  if (path === undefined) return null
  if (named.length > 1) throw new UsageError(`--format ${path} names the implementation. Give no other --format.`)
  return chooseModule(path, null)
}

function noCasesFor({ format, path }: ModuleFormat | WholeFormat): UsageError {
  return new UsageError(`there are no cases about "${format.id}", the format of ${path}. Name some with --cases.`)
}

interface Filter {
  readonly name: string
  /** Names that select a case. */
  readonly of: (item: Case) => readonly string[]
  readonly read: (value: string) => string
}

const FILTERS: readonly Filter[] = [
  { name: 'op', of: ({ op }) => [op], read: (value) => value },
  { name: 'format', of: ({ format }) => (format === undefined ? [] : [format]), read: (value) => value },
  { name: 'profile', of: ({ profile }) => [profile, wireProfile(profile)], read: (value) => value },
  { name: 'id', of: ({ id }) => [id], read: (value) => value },
]

/** A hint looks at the values of this many cases. */
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

/**
 * The cuts that are asked for; none where the cases are to be run as they are.
 *
 * @throws UsageError for cuts of texts that an engine is made to say
 */
export function cutsOf(options: Options): readonly CutName[] {
  const asked = options.list('cut')
  if (asked.length > 0 && options.text('say') !== null)
    throw new UsageError('--say gives an engine one token at a time; --cut brings pieces of a text. Give one.')
  return CUT_NAMES.filter((cut) => asked.includes(ALL_CUTS) || asked.includes(cut) || asked.includes(familyOf(cut)))
}
