import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClientFault, ClientList, ClientReport } from './client-report.ts'
import { KINDS, readClientReports } from './client-report.ts'

const BEGIN = '<!-- prettier-ignore-start -->\n<!-- made of reports/clients by pnpm clients -->\n'
const END = '\n<!-- prettier-ignore-end -->'

/** Files of the repository that are made of the reports, by their path from its root. */
export function clientPages(root: string, list: ClientList): ReadonlyMap<string, string> {
  const reports = readClientReports(join(root, 'reports/clients'), list)
  const page = (path: string, tables: string): string => filled(readFileSync(join(root, path), 'utf8'), tables, path)
  return new Map([
    ['docs/clients.md', page('docs/clients.md', tablesOf(reports, ENGLISH))],
    ['docs/zh/clients.md', page('docs/zh/clients.md', tablesOf(reports, CHINESE))],
    ['reports/clients/smallest.md', smallestPage(reports)],
  ])
}

/** The page with other tables between its marks. */
function filled(text: string, tables: string, path: string): string {
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (begin === -1 || end === -1) throw new Error(`${path}: lacks the marks between which the tables are`)
  return `${text.slice(0, begin + BEGIN.length)}\n${tables}\n${text.slice(end)}`
}

/** The words of the tables in a language. */
interface Words {
  readonly head: readonly string[]
  readonly matrix: string
  readonly fault: string
  readonly law: string
  readonly marks: string
  readonly omitted: (title: string, api: string, parts: string) => string
  /** Where the smallest streams are. */
  readonly smallest: string
  readonly sound: string
  readonly gave: (title: string, api: string, reason: string) => string
  readonly about: (fault: ClientFault) => string
}

const ENGLISH: Words = {
  head: ['client', 'version', 'of', 'asked on', 'API', 'streams', 'right', 'misread', 'refused', 'missed'],
  matrix: 'What is read wrong, by change and client',
  fault: 'stream with',
  law: 'breaks',
  marks:
    'm misread, r refused, x missed; empty: right; ·: the client does not read this API. Each has its smallest stream in [smallest.md](../reports/clients/smallest.md).',
  omitted: (title, api, parts) => `\`${title}\` does not give ${parts} of ${api}.`,
  smallest: '../reports/clients/smallest.md',
  sound: 'Read wrong, though no law is broken',
  gave: (title, api, reason) => `${code(title)} over ${api}: ${code(reason)}`,
  about: ({ about }) => about,
}

const CHINESE: Words = {
  head: ['客户端', '版本', '日期', '测试日期', 'API', '流', '正确', 'misread', 'refused', 'missed'],
  matrix: '按改变和客户端列出的错误',
  fault: '流的改变',
  law: '违反',
  marks:
    'm 为 misread，r 为 refused，x 为 missed；空白为正确；· 表示客户端不读取该 API。最小的流见 [smallest.md](../../reports/clients/smallest.md)。',
  omitted: (title, api, parts) => `\`${title}\` 不提供 ${api} 的 ${parts}。`,
  smallest: '../../reports/clients/smallest.md',
  sound: '没有违反规则却读错',
  gave: (title, api, reason) => `${code(title)}（${api}）：${code(reason)}`,
  about: ({ change }) => `\`${change}\``,
}

function tablesOf(reports: readonly ClientReport[], words: Words): string {
  const omitted = reports.flatMap(({ title, omits }) =>
    Object.entries(omits).map(([api, parts]) => words.omitted(title, api, parts.join(', '))),
  )
  return [
    table(words.head, reports.flatMap(countRows)),
    ...(omitted.length === 0 ? [] : [omitted.join(' ')]),
    `### ${words.matrix}`,
    matrixOf(reports, words),
    words.marks,
    `### ${words.sound}`,
    ...reports.flatMap((report) =>
      report.faults.filter(({ kind }) => kind === 'sound').map((fault) => shownFault(report, fault, words)),
    ),
  ].join('\n\n')
}

/** A row for each API. */
function countRows({ title, version, date, ran, counts }: ClientReport): readonly (readonly string[])[] {
  return Object.entries(counts).map(([api, kinds], at) => {
    const sum = (...names: readonly string[]): number =>
      KINDS.reduce((total, kind) => names.reduce((part, name) => part + (kinds[kind]?.[name] ?? 0), total), 0)
    const right = sum('as-said', 'reported', 'unfinished', 'shown')
    const wrong = [sum('misread'), sum('refused'), sum('missed')]
    const asked = wrong.reduce((total, count) => total + count, right + sum('errored'))
    const name = at === 0 ? [code(title), version, date ?? '', ran] : ['', '', '', '']
    return [...name, api, String(asked), String(right), ...wrong.map((count) => String(count || ''))]
  })
}

const FAULT_MARKS: Readonly<Record<ClientFault['fault'], string>> = { misread: 'm', refused: 'r', missed: 'x' }

function matrixOf(reports: readonly ClientReport[], words: Words): string {
  const rows = new Map<string, ClientFault>()
  for (const kind of KINDS)
    for (const { faults } of reports)
      for (const fault of faults)
        if (fault.kind === kind)
          rows.set(`${fault.api} ${kind} ${fault.change}`, rows.get(`${fault.api} ${kind} ${fault.change}`) ?? fault)
  const sorted = [...rows.values()].toSorted((one, other) => (one.api < other.api ? -1 : one.api > other.api ? 1 : 0))
  const cells = sorted.map((row) => [
    row.api,
    words.about(row),
    row.laws.join(' '),
    ...reports.map(({ faults, counts }) => {
      if (counts[row.api] === undefined) return '·'
      const own = faults.filter(({ api, change }) => api === row.api && change === row.change)
      return [...new Set(own.map(({ fault }) => FAULT_MARKS[fault]))].join('')
    }),
  ])
  return table(['API', words.fault, words.law, ...reports.map(({ title }) => code(title))], cells)
}

function shownFault({ title }: ClientReport, { api, reason, text }: ClientFault, { gave }: Words): string {
  return [gave(title, api, reason), fenced(text)].join('\n\n')
}

/** A stream in a block of code: line ends other than LF are shown by their names. */
function fenced(text: string): string {
  const shown = text.replaceAll('\r\n', '␍␊\n').replaceAll('\r', '␍\n').replaceAll('\ufeff', '<BOM>').trimEnd()
  return `\`\`\`text\n${shown}\n\`\`\``
}

/** `reports/clients/smallest.md`: each fault of each client with its smallest stream. */
function smallestPage(reports: readonly ClientReport[]): string {
  const head = `# What clients read wrong, each with the smallest stream

Made of the reports next to it by \`pnpm clients\`; [clients](../../docs/clients.md) explains the words. Save a stream as \`stream.sse\`, and let the
client read it again: \`callspec conformance run --client COMMAND --api API stream.sse\`. Where that is not enough, the id of a built-in stream is
given: \`callspec conformance run --client COMMAND --id ID\`.`
  return `${[head, ...reports.flatMap(clientSection)].join('\n\n')}\n`
}

function clientSection({ title, version, date, ran, how, packages, faults }: ClientReport): readonly string[] {
  const of = date === null ? '' : ` of ${date}`
  return [
    `## ${title} ${version}${of}`,
    `${how}; asked on ${ran} with ${packages.map(code).join(', ')}. ${faults.length} faults.`,
    ...faults.flatMap(({ api, about, change, laws, fault, streams, reason, text, id, isText }) => [
      `**${api}, ${about}** (\`${change}\`${laws.length === 0 ? '' : `, breaks ${laws.join(' ')}`}): ${fault} in ${streams} ${streams === 1 ? 'stream' : 'streams'}. ${code(reason)}.${isText ? '' : ` Id: \`${id}\`.`}`,
      fenced(text),
    ]),
  ]
}

/** A text of a client may hold any character. */
function code(text: string): string {
  return `\`${text.replaceAll(/[`\p{Cc}]+/gu, ' ')}\``
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
