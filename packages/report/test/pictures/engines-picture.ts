import { escapeHtml } from '../../src/html.ts'

/** What the picture needs of a report of `reports/engines`. */
export interface EngineRun {
  readonly title: string
  readonly version: string
  /** Of the release, and of the day on which it was asked: `2026-11-28`. */
  readonly date: string
  readonly ran: string
  readonly counts: readonly {
    readonly format: string
    readonly op: string
    readonly verdicts: Readonly<Record<string, number>>
  }[]
}

/** Whole replies of a format: how many were read right, and how many were asked. */
interface Score {
  readonly right: number
  readonly asked: number
}

/** One engine at one version. */
interface Column extends Pick<EngineRun, 'title' | 'version' | 'date' | 'ran'> {
  readonly scores: ReadonlyMap<string, Score>
}

const [LEFT, COLUMN, HEAD, ROW, FOOT] = [150, 190, 118, 25, 74]
const [BAR_LEFT, BAR, BAR_HEIGHT] = [92, 78, 9]

/**
 * How many whole replies engines read right of those that they were asked, as an SVG file: formats as rows. It loads nothing, brings its
 * own ground for light and dark pages, and says everything in words that it says in colours.
 */
export function enginesPicture(runs: readonly EngineRun[]): string {
  const columns = runs.map(({ counts, ...run }) => ({ ...run, scores: scoresOf(counts) }))
  const rows = rowsOf(columns)
  const [width, height] = [LEFT + columns.length * COLUMN + 10, HEAD + rows.length * ROW + FOOT]
  const label = labelOf(columns)
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(label)}">`,
    `<title>${escapeHtml(label)}</title>`,
    `<style>${STYLE}</style>`,
    `<rect class="ground" width="${width}" height="${height}" rx="6"/>`,
    textAt('title', 16, 28)('Engines against the cases of the formats that they read'),
    textAt(
      'quiet',
      16,
      46,
    )(
      'Whole replies read right, of those asked, by the parser that reads most. Ids of calls that an engine makes itself, and 1 for 1.0, are right. Not a ranking.',
    ),
    ...columns.flatMap((column, at) => headOf(column, LEFT + at * COLUMN)),
    ...rows.flatMap((row, at) => rowOf(row, { columns, top: HEAD + at * ROW, width })),
    ...footOf(columns, height),
    '</svg>',
  ].join('\n')}\n`
}

/** The same in words, in ASCII: for the text that stands for the picture. */
function labelOf(columns: readonly Column[]): string {
  const names = columns.map(({ title, version }) => `${title} ${version}`)
  return `Whole replies read right by ${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}, by format; asked ${period(columns)}; not a ranking`
}

/** By format, of the parser that reads most replies right. */
function scoresOf(counts: EngineRun['counts']): ReadonlyMap<string, Score> {
  const scores = new Map<string, Score>()
  for (const { format, op, verdicts } of counts) {
    if (op !== 'parse') continue
    const { skipped = 0, synthetic = 0, passed = 0, whitespace = 0, id = 0, number = 0 } = verdicts
    const all = Object.values(verdicts).reduce((sum, count) => sum + count, 0)
    const score = { right: passed + whitespace + id + number, asked: all - skipped - synthetic }
    const best = scores.get(format)
    if (best === undefined || score.right > best.right) scores.set(format, score)
  }
  return scores
}

/** Formats by how many were asked for them, then by name. */
function rowsOf(columns: readonly Column[]): readonly string[] {
  const askedOf = (format: string): number => columns.filter(({ scores }) => scores.has(format)).length
  return [...new Set(columns.flatMap(({ scores }) => [...scores.keys()]))].toSorted(
    (one, other) => askedOf(other) - askedOf(one) || one.localeCompare(other),
  )
}

function headOf({ title, version, date }: Column, x: number): readonly string[] {
  return [textAt('name', x, 78)(title), textAt('quiet', x, 94)(version), textAt('quiet', x, 109)(`of ${date}`)]
}

interface Where {
  readonly columns: readonly Column[]
  readonly top: number
  readonly width: number
}

function rowOf(format: string, { columns, top, width }: Where): readonly string[] {
  return [
    `<line class="line" x1="16" x2="${width - 16}" y1="${top}" y2="${top}"/>`,
    textAt('name', 16, top + 17)(format),
    ...columns.flatMap(({ scores }, at) => cellOf(scores.get(format), { x: LEFT + at * COLUMN, top })),
  ]
}

function cellOf(score: Score | undefined, { x, top }: { readonly x: number; readonly top: number }): readonly string[] {
  if (score === undefined) return [textAt('quiet', x, top + 17)('–')]
  const { right, asked } = score
  if (asked === 0) return [textAt('quiet', x, top + 17)('none could be asked')]
  const bar = `x="${x + BAR_LEFT}" y="${top + 8}"`
  return [
    textAt('', x, top + 17)(`${right} of ${asked}`),
    `<rect class="rest" ${bar} width="${BAR}" height="${BAR_HEIGHT}"/>`,
    `<rect class="good" ${bar} width="${((BAR * right) / asked).toFixed(1)}" height="${BAR_HEIGHT}"/>`,
  ]
}

function footOf(columns: readonly Column[], height: number): readonly string[] {
  const texts = [
    `Asked ${period(columns)}. – means that the engine has no parser for the format. Replies that it never meets are not asked.`,
    'What is not read right may be a fault, a policy for calls that are cut off, or contested: docs/engines.md has all verdicts,',
    'streams, the other engines, and the command that repeats each case.',
  ]
  return texts.map((text, at) => textAt('quiet', 16, height - 48 + at * 16)(text))
}

/** From the first to the last day. */
function period(columns: readonly Pick<Column, 'ran'>[]): string {
  const days = columns.map(({ ran }) => ran).toSorted()
  const [first = '', last = ''] = [days[0], days.at(-1)]
  return first === last ? first : `${first} to ${last}`
}

function textAt(name: string, x: number, y: number): (content: string) => string {
  return (content) => `<text${name === '' ? '' : ` class="${name}"`} x="${x}" y="${y}">${escapeHtml(content)}</text>`
}

const STYLE = `
text { font: 13px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1b1f24 }
.title { font-size: 16px; font-weight: 600 } .name { font-weight: 600 } .quiet { font-size: 12px; fill: #57606a }
.ground { fill: #fff; stroke: #d0d7de } .line { stroke: #d0d7de } .rest { fill: #f0b4ae } .good { fill: #1a7f37 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .quiet { fill: #9aa7b4 } .ground { fill: #14181d; stroke: #38414a } .line { stroke: #38414a } .rest { fill: #7a332e } .good { fill: #3fb95f }
}
`
