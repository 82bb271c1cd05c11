import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { arrivingChunks, openSession, runSuite } from '@callspec/conformance'
import type { Case, Implementation, Reply } from '@callspec/conformance'
import { formatNamed } from '@callspec/core'
import { shrinkSample } from '@callspec/fuzz'
import type { PyValue } from '@callspec/python'
import { isDict, isList } from '@callspec/python'
import { afterAll, describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../../..')
const FILE = join(ROOT, 'reports/findings/smallest.json')
const ROWS = process.env['CALLSPEC_ENGINES'] ?? ''

/** A text of a report that an engine reads wrong, and the smallest one that the search through its adapter makes of it. */
interface KeptText {
  readonly engine: string
  readonly version: string
  /** Number of the report. */
  readonly report: number
  readonly parser: string
  readonly format: string
  readonly op: 'parse' | 'stream'
  readonly text: string
  readonly smallest: string
}

const texts = JSON.parse(readFileSync(FILE, 'utf8')) as readonly KeptText[]

/** The case that our reader makes of a text; null where it reads the text with an issue, so that no answer is the right one. */
function caseOf(text: string, { format, op }: KeptText): Case | null {
  const read = formatNamed(format)?.read(text)
  if (text === '' || read === undefined || read.error !== null || read.items.some(({ kind }) => kind === 'issue'))
    return null
  const joined = (wanted: string): string =>
    read.items.map((item) => (item.kind === wanted && 'text' in item ? item.text : '')).join('')
  const calls = read.items.flatMap((item) =>
    item.kind === 'call'
      ? [
          new Map<string, PyValue>([
            ...(item.id === null ? [] : [['id', item.id] as const]),
            ['name', item.name],
            ['arguments', item.arguments],
          ]),
        ]
      : [],
  )
  const right = new Map<string, PyValue>([
    ['content', joined('text')],
    ['reasoning', joined('reasoning')],
    ['calls', calls],
  ])
  const topic = { id: `${format}/${op}/smallest#x`, op, format, profile: 'strict', where: FILE }
  if (op === 'parse')
    return { ...topic, input: new Map([['text', text]]), expected: { kind: 'returned', value: right } }
  const chunks = [...arrivingChunks([text], { met: ['tokens'], format })]
  return {
    ...topic,
    input: new Map([['chunks', chunks]]),
    expected: { kind: 'returned', value: new Map([['final', right]]) },
  }
}

/** What an engine gives in place of what: numbers of calls, and whether there is text. Null where it is right, or nearly so. */
async function wrongness(text: string, kept: KeptText, engine: Implementation): Promise<string | null> {
  const item = caseOf(text, kept)
  if (item === null) return null
  for await (const { verdict, reply } of runSuite([item], engine)) {
    if (verdict.kind !== 'failed' || (verdict.as !== undefined && verdict.as !== 'refused')) return null
    return `${piecesOf({ kind: 'returned', value: valueOf(item.expected) })}, not ${piecesOf(reply)}`
  }
  return null
}

/** The search of one finding, which asks for each text once: it starts again after each answer. */
async function shrunk(text: string, fails: (text: string) => Promise<boolean>): Promise<string> {
  const known = new Map<string, boolean>()
  for (;;) {
    const unknown: string[] = []
    const smallest = shrinkSample({ text, cuts: [], other: '', plan: null }, (smaller) => {
      const answer = known.get(smaller.text)
      if (answer === undefined) unknown.push(smaller.text)
      return answer ?? false
    })
    const [next] = unknown
    if (next === undefined) return smallest.text
    known.set(next, await fails(next))
  }
}

function valueOf(expected: Case['expected']): PyValue {
  const value = expected.kind === 'returned' ? expected.value : null
  return isDict(value) ? (value.get('final') ?? value) : value
}

function piecesOf(reply: Reply): string {
  if (reply.kind !== 'returned' || !isDict(reply.value)) return 'a refusal'
  const deltas = reply.value.get('deltas')
  const parts = isList(deltas) ? deltas.map((each) => (isDict(each) ? each.get('delta') : null)) : [reply.value]
  const dicts = parts.flatMap((each) => (isDict(each ?? null) ? [each as ReadonlyMap<string, PyValue>] : []))
  const calls = dicts.flatMap((each) => {
    const list = each.get('calls')
    return isList(list) ? list.filter((call) => isDict(call) && typeof call.get('name') === 'string') : []
  })
  const content = dicts.map((each) => String(each.get('content') ?? '')).join('')
  return `${calls.length} calls and ${content.trim() === '' ? 'no ' : ''}text`
}

const sessions = new Map<string, Implementation>()
afterAll(async () => {
  for (const each of sessions.values()) await each.close?.()
})

async function sessionOf({ engine, version, parser, format }: KeptText): Promise<Implementation> {
  const adapter = join(ROOT, `packages/conformance/adapters/${engine}/${engine}_adapter.py`)
  const row = join(ROWS, `${engine}@${version}`)
  const command = `PYTHONPATH='${row}' PYTHONDONTWRITEBYTECODE=1 exec python3 -W ignore '${adapter}' --parser ${parser} --format ${format}`
  const opened = sessions.get(command) ?? (await openSession(command, { timeLimit: 120_000, version: '1' }))
  sessions.set(command, opened)
  return opened
}

describe('texts of reports/findings', () => {
  const found: KeptText[] = []

  it.each(texts)('$engine, report $report, $op: the smallest one is read by us without an issue', (kept) => {
    expect(caseOf(kept.smallest, kept)).not.toBeNull()
    expect(kept.smallest.length).toBeLessThanOrEqual(kept.text.length)
  })

  it.for(texts)(
    '$engine, report $report, $op: is as small as the search through the adapter makes it (needs CALLSPEC_ENGINES)',
    { timeout: 600_000 },
    async (kept, context) => {
      if (ROWS === '' || !existsSync(join(ROWS, `${kept.engine}@${kept.version}`))) return context.skip()
      const engine = await sessionOf(kept)
      const wrong = await wrongness(kept.text, kept, engine)
      expect(wrong, 'the text of the report is read wrong').not.toBeNull()

      const smallest = await shrunk(kept.text, async (text) => (await wrongness(text, kept, engine)) === wrong)

      found.push({ ...kept, smallest })
      if (process.env['UPDATE_PAGES'] === '1') return
      expect(smallest).toBe(kept.smallest)
    },
  )

  afterAll(() => {
    if (process.env['UPDATE_PAGES'] !== '1' || found.length === 0) return
    const lines = texts.map(
      (kept) =>
        found.find(
          (each) =>
            each.report === kept.report &&
            each.engine === kept.engine &&
            each.op === kept.op &&
            each.parser === kept.parser &&
            each.text === kept.text,
        ) ?? kept,
    )
    writeFileSync(FILE, `[\n${lines.map((each) => `  ${JSON.stringify(each)}`).join(',\n')}\n]\n`)
  })
})
