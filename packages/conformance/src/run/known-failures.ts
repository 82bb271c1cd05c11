import { InputError } from '@callspec/core'
import type { Case } from '../cases/case.ts'
import { currentId } from '../cases/taxonomy.ts'
import { readTextFile } from '../files.ts'
import type { CaseResult } from './run-suite.ts'
import { reasonOf } from './run-suite.ts'

/** What a known failure was judged to be. */
export type DeviationKind = (typeof DEVIATION_KINDS)[number]

/**
 * `bug` is reported where the link leads; `policy` is meant so; of a `contested` one the case may be wrong; some texts are
 * `not written by a model`; `unverified` ones were not looked at yet; those `not asked` are skipped, because the implementation is not
 * meant to read them.
 */
export const DEVIATION_KINDS = [
  'bug',
  'policy',
  'contested',
  'not written by a model',
  'unverified',
  'not asked',
] as const

/** A case that is known to fail. */
export interface KnownFailure {
  readonly kind: DeviationKind
  readonly reason: string
}

/** Cases that are known to fail, with the reason why. */
export interface KnownFailures {
  /** The reason, or null for a case that is not listed. */
  reason(item: Pick<Case, 'id'>): string | null
  /** What is written about an id; null for one that is not listed. Does not count as asking. */
  entry(id: string): KnownFailure | null
  /** Listed ids that no case had, once all cases have been asked for. */
  unused(): readonly string[]
}

/** A line of a list of known failures. */
export interface ListLine {
  readonly kind: 'blank' | 'comment' | 'id' | 'command'
  /** Without what marks its kind. */
  readonly text: string
  /** As in the file, without the line end. */
  readonly raw: string
}

/**
 * Reads a list of known failures: one case id per line, under comment lines (`# …`) that give the reason, best with the
 * URL of an issue. A reason holds for the ids below it, until the next comment or empty line. It may begin with what the
 * deviation is (`# [bug] https://…`), else it is unverified; below an id may be the command that repeats it (`$ …`).
 *
 * @param path null for no list: then no case is known to fail
 * @throws InputError naming file and line: an id without reason, an id listed twice, a bug without a link
 */
export async function readKnownFailures(path: string | null): Promise<KnownFailures> {
  const known = path === null ? new Map<string, KnownFailure>() : knownFailuresIn(await readTextFile(path), path)
  const used = new Set<string>()
  return {
    reason: ({ id }) => {
      const listed = known.get(id) ?? null
      // Memory grows with the list, not with the cases.
      if (listed !== null) used.add(id)
      return listed?.reason ?? null
    },
    entry: (id) => known.get(id) ?? null,
    unused: () => [...known.keys()].filter((id) => !used.has(id)),
  }
}

function knownFailuresIn(text: string, path: string): ReadonlyMap<string, KnownFailure> {
  const known = new Map<string, KnownFailure>()
  let reason: string[] = []
  let before: ListLine['kind'] = 'blank'
  for (const [at, line] of listLines(text).entries()) {
    const where = `${path}:${at + 1}`
    if (line.kind === 'blank') reason = []
    if (line.kind === 'comment') reason = [...(before === 'comment' ? reason : []), line.text]
    if (line.kind === 'id') addTo(known, { id: line.text, reason, where })
    if (line.kind === 'command' && before !== 'id')
      throw new InputError(where, 'has a command without an id above it. Put it below the id that it repeats.')
    before = line.kind
  }
  return known
}

/** The lines of a list, each with what it is. Ids of renamed cases are replaced by those of today. */
export function listLines(text: string): readonly ListLine[] {
  return text.split(/\r?\n/).map((raw) => {
    const line = raw.trim()
    if (line === '') return { kind: 'blank', text: '', raw }
    if (line.startsWith('#')) return { kind: 'comment', text: line.replace(/^#+\s*/, ''), raw }
    if (line.startsWith('$ ')) return { kind: 'command', text: line.slice(2), raw }
    const id = currentId(line)
    return { kind: 'id', text: id, raw: id === line ? raw : id }
  })
}

function addTo(
  known: Map<string, KnownFailure>,
  { id, reason, where }: { id: string; reason: readonly string[]; where: string },
): void {
  if (reason.length === 0) {
    throw new InputError(where, `lists "${id}" without a reason. Write one above it, as a line that begins with #.`)
  }
  if (known.has(id)) throw new InputError(where, `lists "${id}" a second time.`)
  const entry = judgedAs(reason.join(' '))
  if (entry.kind === 'bug' && !/https?:\/\/\S/.test(entry.reason)) {
    throw new InputError(where, `calls "${id}" a bug without a link. Give the URL of the report, or say [unverified].`)
  }
  known.set(id, entry)
}

/** Lists from before there were kinds: their entries are unverified. */
function judgedAs(reason: string): KnownFailure {
  const kind = DEVIATION_KINDS.find((each) => reason.startsWith(`[${each}]`))
  if (kind === undefined) return { kind: 'unverified', reason }
  const rest = reason.slice(kind.length + 2).trim()
  return { kind, reason: rest === '' ? kind : rest }
}

/** A failure that is not listed yet. */
export interface NewFailure {
  readonly id: string
  /** One line: what is different. */
  readonly reason: string
  /** The command line that repeats it alone. */
  readonly command: string
}

/** What a run has found out about a list of known failures, collected while results come in. */
export interface Triage {
  /** `command`: the command line that repeats the case alone. @returns false for an id that a list cannot hold */
  add(result: CaseResult, command: string): boolean
  readonly fresh: readonly NewFailure[]
  /** The list after the run; `old` is its text before. `about` heads a new list, `gone` are listed ids that passed. */
  text(old: string | null, run: Pick<TriagedList, 'about' | 'gone'>): string
}

/** A triage without any result. `reasonText` makes the reason of a failure one line that is safe to print. */
export function createTriage(reasonText: (reason: string) => string): Triage {
  const fresh: NewFailure[] = []
  const commands = new Map<string, string>()
  return {
    fresh,
    add({ case: { id }, verdict, known }, words) {
      const command = words.replace(/\s*\n\s*/g, ' ')
      if (known !== undefined) commands.set(id, command)
      if (verdict.kind !== 'failed' && verdict.kind !== 'errored') return true
      if (!isListable(id)) return false
      const as = verdict.kind === 'failed' && verdict.as !== undefined ? `${verdict.as}: ` : ''
      fresh.push({ id, command, reason: reasonText(`${as}${reasonOf(verdict) ?? ''}`) })
      return true
    },
    text: (old, { about, gone }) => triagedText(old, { about, fresh, gone, commands }),
  }
}

/** A list of known failures after a run. */
export interface TriagedList {
  /** Head of a new list. */
  readonly about: string
  readonly fresh: readonly NewFailure[]
  /** Listed ids that pass now. */
  readonly gone: readonly string[]
  /** By id: the command that repeats what is still there. */
  readonly commands: ReadonlyMap<string, string>
}

/**
 * The text of a list of known failures after a run: what is gone is taken out, with its reason where nothing else is
 * below it; the commands are those of today; what is new comes last, as unverified. Everything else stays as it was.
 */
export function triagedText(old: string | null, { about, fresh, gone, commands }: TriagedList): string {
  const kept = old === null ? `# ${about}` : without(old, new Set(gone), commands).trimEnd()
  const groups = new Map<string, NewFailure[]>()
  for (const each of fresh) groups.set(each.reason, [...(groups.get(each.reason) ?? []), each])
  const added = [...groups].map(([reason, items]) =>
    [`# [unverified] ${reason}`, ...items.flatMap(({ id, command }) => [id, `  $ ${command}`])].join('\n'),
  )
  return `${[kept, ...added].filter((part) => part !== '').join('\n\n')}\n`
}

/** Whether a line of a list can contain an id so that it is read again. */
export function isListable(id: string): boolean {
  const [line, ...more] = listLines(id)
  return more.length === 0 && line?.kind === 'id' && line.text === currentId(id) && !/[\r\n]/.test(id)
}

function without(text: string, gone: ReadonlySet<string>, commands: ReadonlyMap<string, string>): string {
  const lines: string[] = []
  // Comments wait until the lines below them are known; those that head nothing stay.
  let waiting: string[] = []
  let [hadIds, hasIds] = [false, false]
  const close = (): void => {
    if (!hadIds || hasIds) lines.push(...waiting)
    waiting = []
    hadIds = false
    hasIds = false
  }
  let last: ListLine = { kind: 'blank', text: '', raw: '' }
  let isGone = false
  for (const line of listLines(text)) {
    if (line.kind === 'blank' || (line.kind === 'comment' && last.kind !== 'comment')) close()
    if (line.kind === 'id') {
      hadIds = true
      isGone = gone.has(line.text)
      hasIds ||= !isGone
    }
    waiting.push(...linesFor(line, { isGone, commands, last }))
    last = line
  }
  close()
  return lines.join('\n').replace(/\n{3,}/g, '\n\n')
}

function linesFor(
  line: ListLine,
  { isGone, commands, last }: { isGone: boolean; commands: ReadonlyMap<string, string>; last: ListLine },
): readonly string[] {
  if (line.kind === 'id') {
    const command = commands.get(line.text)
    return isGone ? [] : [line.raw, ...(command === undefined ? [] : [`  $ ${command}`])]
  }
  if (line.kind !== 'command') return [line.raw]
  return isGone || commands.has(last.text) ? [] : [line.raw]
}
