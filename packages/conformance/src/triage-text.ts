import { listLines } from './known-failures.ts'
import type { ListLine } from './known-failures.ts'

/** A failure that is not listed yet. */
export interface NewFailure {
  readonly id: string
  /** One line: what is different. */
  readonly reason: string
  /** The command line that repeats it alone. */
  readonly command: string
}

/** What a run has found out about a list of known failures. */
export interface Triage {
  /** Head of a new list. */
  readonly about: string
  readonly fresh: readonly NewFailure[]
  /** Listed ids that pass now. */
  readonly gone: readonly string[]
  /** By id: the command that repeats what is still there. */
  readonly commands: ReadonlyMap<string, string>
}

/**
 * The text of a list of known failures after a run: what is gone is taken out, with its reason where nothing else stands
 * below it; the commands are those of today; what is new comes last, as unverified. Everything else stays as it was.
 */
export function triagedText(old: string | null, { about, fresh, gone, commands }: Triage): string {
  const kept = old === null ? `# ${about}` : without(old, new Set(gone), commands).trimEnd()
  const groups = new Map<string, NewFailure[]>()
  for (const each of fresh) groups.set(each.reason, [...(groups.get(each.reason) ?? []), each])
  const added = [...groups].map(([reason, items]) =>
    [`# [unverified] ${reason}`, ...items.flatMap(({ id, command }) => [id, `  $ ${command}`])].join('\n'),
  )
  return `${[kept, ...added].filter((part) => part !== '').join('\n\n')}\n`
}

/** Whether an id can stand in a line of a list, and be read again. */
export function isListable(id: string): boolean {
  const [line, ...more] = listLines(id)
  return more.length === 0 && line?.kind === 'id' && line.text === id && !/[\r\n]/.test(id)
}

function without(text: string, gone: ReadonlySet<string>, commands: ReadonlyMap<string, string>): string {
  const lines: string[] = []
  // Comments wait until it is known whether anything stands below them; those that head nothing stay.
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
