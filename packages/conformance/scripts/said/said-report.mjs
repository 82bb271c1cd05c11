// What came of saying cases, as it is kept: counts by format, operation and topic, and what was answered otherwise.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** The file that is kept. */
export const REPORT = resolve(import.meta.dirname, '../../../../reports/scoreboard/said/llama.cpp.json')

/** Puts the results of a format (lines as --json writes them) in the place of the older ones. */
export function keepReport(path, { format, lines }) {
  const results = lines.map((line) => JSON.parse(line))
  const [{ implementation, cases }] = results
  const old = existsSync(path)
    ? JSON.parse(readFileSync(path, 'utf8'))
    : { topics: [], skipped: [], notes: [], answers: {} }
  const others = (list) => list.filter((each) => each.format !== format)
  const kept = Object.entries(old.answers).filter(([id]) => !id.startsWith(`${format}/`))
  const report = {
    ...{ implementation, cases },
    topics: byFormat([...others(old.topics), ...topicsOf(format, results)]),
    skipped: byFormat([...others(old.skipped), ...counted(format, reasonsIn(results), 'reason')]),
    notes: byFormat([...others(old.notes), ...counted(format, notesIn(results), 'note')]),
    answers: Object.fromEntries([...kept, ...answersIn(results)].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  }
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, printed(report))
}

function topicsOf(format, results) {
  const rows = new Map()
  for (const { id, op, verdict } of results) {
    const topic = id.slice(id.indexOf(`/${op}/`) + op.length + 2, id.indexOf('#'))
    const row = rows.get(`${op}/${topic}`) ?? { format, op, topic, passed: 0, failed: 0, errored: 0, skipped: 0 }
    row[verdict] += 1
    rows.set(`${op}/${topic}`, row)
  }
  return [...rows.values()].toSorted((a, b) => (`${a.op}/${a.topic}` < `${b.op}/${b.topic}` ? -1 : 1))
}

function reasonsIn(results) {
  return results.filter(({ verdict }) => verdict === 'skipped').map(({ reason }) => reason)
}

function notesIn(results) {
  return results.flatMap(({ notes = [] }) => notes)
}

function counted(format, texts, name) {
  const times = new Map()
  for (const text of texts) times.set(text, (times.get(text) ?? 0) + 1)
  return [...times].map(([text, count]) => ({ format, [name]: text, times: count }))
}

/** Arguments stay the texts that they are; a refusal of the text is `null`, that of the request its words. */
function answersIn(results) {
  return results
    .filter(({ verdict }) => verdict === 'failed' || verdict === 'errored')
    .map(({ id, verdict, actual, error, reason }) => {
      if (verdict === 'errored') return [id, reason]
      return [id, error === undefined ? (actual?.final ?? actual) : null]
    })
}

function byFormat(rows) {
  return rows.toSorted((a, b) => (a.format < b.format ? -1 : a.format > b.format ? 1 : 0))
}

/** A row per line, so that a change of one is a change of one line. */
function printed({ implementation, cases, topics, skipped, notes, answers }) {
  const list = (rows) =>
    rows.length === 0 ? '[]' : `[\n${rows.map((row) => `    ${JSON.stringify(row)}`).join(',\n')}\n  ]`
  const entries = Object.entries(answers).map(([id, answer]) => `    ${JSON.stringify(id)}: ${JSON.stringify(answer)}`)
  return `{
  "implementation": ${JSON.stringify(implementation)},
  "cases": ${JSON.stringify(cases)},
  "topics": ${list(topics)},
  "skipped": ${list(skipped)},
  "notes": ${list(notes)},
  "answers": {
${entries.join(',\n')}
  }
}
`
}
