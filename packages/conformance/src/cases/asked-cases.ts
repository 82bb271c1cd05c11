import { hash } from 'node:crypto'
import { formatNamed } from '@callspec/core'
import type { PyValue } from '@callspec/python'
import { dumps } from '@callspec/python'
import { STRICT } from '../protocol/declaration.ts'
import { builtInCases, findCaseFiles, readCases } from './case-store.ts'
import type { Case } from './case.ts'
import type { CutName } from './cut-cases.ts'
import { CUT_NAMES, cutCases } from './cut-cases.ts'
import { currentId } from './taxonomy.ts'

/**
 * Which cases a parser was asked, and as what they were asked: a verdict holds as long as its case has the same hash. Files of
 * `reports/engines/asked` are such lists.
 */
export interface AskedCases {
  /** The cuts of each text; none where cases were asked as they are. */
  readonly cuts: readonly CutName[]
  /** By the id of a case, without cuts: the first digits of a hash of its question and right answers, in all cuts. */
  readonly hashes: ReadonlyMap<string, string>
}

/**
 * The format whose cases engines are asked together: that of a strict case, and `glm-4.7@ling-3` of a case of a version. null where an
 * engine is not asked.
 */
export function askedFormat({ format, profile }: Pick<Case, 'format' | 'profile'>): string | null {
  if (format === undefined) return null
  if (profile === STRICT) return format
  const name = `${format}@${profile}`
  return formatNamed(name) === null ? null : name
}

/** Lists of the cases of today that engines are asked, by `askedFormat` and operation; `cut` also by cuts. */
export interface CaseLists {
  of(format: string, operation: string, cuts: readonly string[]): Promise<AskedCases>
}

/** Reads the cases of `parse`, `stream` and `render` that came with this package. */
export async function caseLists(): Promise<CaseLists> {
  const byPair = new Map<string, Case[]>()
  for await (const item of readCases(await findCaseFiles([await builtInCases()]))) {
    const format = askedFormat(item)
    if (format === null) continue
    const key = `${format} ${item.op}`
    const known = byPair.get(key)
    if (known === undefined) byPair.set(key, [item])
    else known.push(item)
  }
  const lists = new Map<string, Promise<AskedCases>>()
  const listOf = async (format: string, operation: string, cuts: readonly CutName[]): Promise<AskedCases> => {
    if (operation !== 'cut') return askedCases(byPair.get(`${format} ${operation}`) ?? [])
    const whole = ['parse', 'stream'].flatMap((op) => byPair.get(`${format} ${op}`) ?? [])
    const cut: Case[] = []
    for await (const item of cutCases(streamOf(whole), { cuts })) cut.push(item)
    return askedCases(cut, cuts)
  }
  return {
    of(format, operation, cuts) {
      const known = CUT_NAMES.filter((name) => cuts.includes(name))
      const key = [format, operation, ...known].join(' ')
      const list = lists.get(key) ?? listOf(format, operation, known)
      lists.set(key, list)
      return list
    },
  }
}

async function* streamOf(cases: readonly Case[]): AsyncGenerator<Case> {
  yield* cases
}

function askedCases(cases: readonly Case[], cuts: readonly CutName[] = []): AskedCases {
  const pieces = new Map<string, string[]>()
  for (const item of cases) {
    const id = item.cutFrom?.id ?? item.id
    const text = [item.cutFrom?.cut ?? '', decidingText(item)].join(' ')
    const known = pieces.get(id)
    if (known === undefined) pieces.set(id, [text])
    else known.push(text)
  }
  return { cuts, hashes: new Map([...pieces].map(([id, texts]) => [id, shortHash(texts.join('\n'))])) }
}

/** What decides a verdict: the question and its right answers, not the words about them. */
function decidingText({ op, format, plain, input, expected }: Case): string {
  const members: readonly (readonly [string, PyValue])[] = [
    ['op', op],
    ['format', format ?? null],
    ['plain', plain?.map((range) => range.map(BigInt)) ?? null],
    ['input', input],
    expected.kind === 'returned' ? ['expected', expected.value] : ['error', expected.error],
  ]
  return dumps(new Map(members), { ensureAscii: true })
}

function shortHash(text: string): string {
  return hash('sha256', text).slice(0, 12)
}

/** The ids of a list, those of cuts with the cut behind them. */
export function askedIds({ cuts, hashes }: AskedCases, only: ReadonlySet<string> | null = null): readonly string[] {
  const ids = [...hashes.keys()].filter((id) => only === null || only.has(id))
  return cuts.length === 0 ? ids : ids.flatMap((id) => cuts.map((cut) => `${id} ~${cut}`))
}

/** The ids, without cuts, that both lists ask in the same words and judge by the same answers. */
export function sameCases(one: AskedCases, other: AskedCases): ReadonlySet<string> {
  if (one.cuts.join() !== other.cuts.join()) return new Set()
  return new Set([...one.hashes].filter(([id, each]) => other.hashes.get(id) === each).map(([id]) => id))
}

/** A list as a file: the cuts after `cuts`, where there are some, then a line per case, its hash and its id. */
export function askedText({ cuts, hashes }: AskedCases): { readonly key: string; readonly text: string } {
  const head = cuts.length === 0 ? [] : [['cuts', ...cuts].join(' ')]
  const text = `${[...head, ...[...hashes].map(([id, each]) => `${each} ${id}`)].join('\n')}\n`
  return { key: shortHash(text), text }
}

/** Reads `askedText`. Ids are those of today; lines of another form are left out. */
export function readAsked(text: string): AskedCases {
  const [first = '', ...rest] = text.split('\n')
  const given = first.startsWith('cuts ') ? first.split(' ') : []
  const lines = given.length === 0 ? [first, ...rest] : rest
  const entries = lines.flatMap((line) => {
    const [, each = '', id = ''] = /^([0-9a-f]{12}) (.+)$/s.exec(line) ?? []
    return id === '' ? [] : [[currentId(id), each] as const]
  })
  return { cuts: CUT_NAMES.filter((name) => given.includes(name)), hashes: new Map(entries) }
}
