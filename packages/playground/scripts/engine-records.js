// Makes the records of engines for the page from the files that the repository keeps.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  builtInCases,
  findCaseFiles,
  readCases,
  readJudged,
  readKnownFailures,
  readRecorded,
  readScoreboard,
  recordedCase,
  recordedDates,
  showing,
} from '@callspec/conformance'
import { dumps, isDict, isList, loads } from '@callspec/python'

const SCOREBOARDS = resolve(import.meta.dirname, '../../../reports/scoreboard')

/** The answers of engines to texts, from the files of the repository, as `EngineRecords`. */
export async function engineRecords() {
  const cases = await strictCases()
  const records = createRecords()
  await addAsked(records, { folder: SCOREBOARDS, cases })
  await addRecorded(records, { cases })
  return records.data()
}

async function strictCases() {
  const cases = []
  for await (const item of readCases(await findCaseFiles([await builtInCases()]))) {
    const { id, op, format, profile, input, expected, evidence } = item
    if (profile !== 'strict' || (op !== 'parse' && op !== 'stream')) continue
    const isOpen = isDict(expected.value) && expected.value.has('any_of')
    const topic = id.split('#', 1)[0].split('/').at(-1)
    cases.push({
      id,
      op,
      format,
      topic,
      evidence,
      text: input.get('text'),
      question: questionOf({ format, op, input, isOpen }),
    })
  }
  return cases
}

/** Our own results are left out: the page reads every text itself. */
const OWN = 'callspec.json'

/** Adds every verdict about the strict cases that the committed files in reports/scoreboard decide: counts, known failures, answers. */
export async function addAsked(records, { folder, cases }) {
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.json') && each !== OWN)) {
    const { implementation, results } = await readScoreboard(join(folder, name))
    for (const result of results) await addResult(records, { folder, cases, implementation, result })
  }
}

async function addResult(records, { folder, cases, implementation, result: { version, casesVersion, cells } }) {
  const list = knownFile(folder, `${implementation} ${version}`)
  // An older version whose list was replaced: which cases it failed is no longer known.
  if (list === null) return
  const known = await readKnownFailures(list)
  const kept = keptAnswers(folder, `${implementation} ${version}`)
  const engine = { name: implementation, version, how: 'asked', date: `cases ${casesVersion}` }
  for (const cell of cells.filter(({ profile, op }) => profile === 'strict' && op !== 'render')) {
    const own = cases.filter(({ format, op }) => format === cell.format && op === cell.op)
    const hasPassed = passes({ cell, own, known, topics: kept.topics })
    for (const item of own.filter(({ question }) => question !== null)) {
      const entry = known.entry(item.id)
      if (entry !== null)
        records.otherwise(engine, item.question, { reason: listedReason(entry), answer: kept.answerTo(item.id) })
      else if (hasPassed(item)) records.alike(engine, item.question)
    }
  }
}

/**
 * Whether a case that is not listed has passed. The counts show it if they add up to the number of cases, as many failed as are
 * listed, and no case was skipped; otherwise the counts of its topic must.
 */
function passes({ cell, own, known, topics }) {
  const adds = (count, items) =>
    count !== undefined &&
    count.skipped === 0 &&
    count.passed + count.failed + count.errored === items.length &&
    count.failed + count.errored === items.filter(({ id }) => known.entry(id) !== null).length
  if (adds(cell, own)) return () => true
  const decided = new Set()
  for (const topic of new Set(own.map((item) => item.topic))) {
    const count = topics.find((each) => each.format === cell.format && each.op === cell.op && each.topic === topic)
    const about = own.filter((item) => item.topic === topic)
    if (adds(count, about)) decided.add(topic)
  }
  return ({ topic }) => decided.has(topic)
}

/** The first line of a list names its engine. Null if there is no list. */
function knownFile(folder, engine) {
  const files = readdirSync(join(folder, 'known')).map((name) => join(folder, 'known', name))
  return files.find((file) => readFileSync(file, 'utf8').startsWith(`# Known failures of ${engine}. `)) ?? null
}

/** Counts by topic, and answers, if they were kept. */
function keptAnswers(folder, engine) {
  const files = readdirSync(join(folder, 'said')).map((name) => join(folder, 'said', name))
  const found = files.find((file) => loads(readFileSync(file, 'utf8')).get('implementation') === engine)
  if (found === undefined) return { topics: [], answerTo: () => null }
  const answers = loads(readFileSync(found, 'utf8')).get('answers')
  return {
    topics: JSON.parse(readFileSync(found, 'utf8')).topics,
    answerTo: (id) => (answers.has(id) ? engineAnswer(answers.get(id)) : null),
  }
}

function listedReason({ kind, reason }) {
  const links = reason.match(/https?:\/\/\S+/g) ?? []
  return [kind, words(reason, links), links]
}

/** A sentence without the link before it. */
function words(reason, links) {
  const [first] = links
  return first !== undefined && reason.startsWith(first) ? reason.slice(first.length).trim() : reason
}

/** Adds every recorded answer of golden/recorded about a reply. If an engine agrees, the text is that of its strict case. */
async function addRecorded(records, { cases }) {
  const answers = (await readRecorded()).filter(({ op }) => op === 'parse')
  const dates = await recordedDates([...new Set(answers.map(({ engine }) => engine))])
  const byId = new Map(cases.map((item) => [item.id, item]))
  const judged = new Map((await readJudged()).flatMap((each) => showing(each, answers).map((answer) => [answer, each])))
  for (const answer of answers) {
    const [name, version] = answer.engine.split(/@(.*)/s)
    const engine = { name, version, how: 'recorded', date: dates.get(answer.engine) ?? null }
    // An open question is not a case.
    const twin = byId.get(answer.id)
    if (answer.agrees === true) {
      if (twin?.question) records.alike(engine, twin.question)
      continue
    }
    const item = recordedCase(answer)
    const question = questionOf({ ...item, isOpen: answer.agrees === null })
    if (twin !== undefined && twin.text !== item.input.get('text'))
      throw new Error(`golden/recorded: ${answer.id} has another text than ${twin.id}`)
    if (question === null) continue
    const reason =
      answer.agrees === null ? null : recordedReason(answer, { judged: judged.get(answer), evidence: twin?.evidence })
    records.otherwise(engine, question, { reason, answer: engineAnswer(answer.question.answered) })
  }
}

/** A difference without a report was not examined. */
function recordedReason({ about }, { judged, evidence = [] }) {
  if (judged !== undefined) return [judged.kind, judged.what, [judged.link]]
  return ['unverified', about.replace(/ This engine reads it otherwise\.$/, ''), evidence]
}

/** Inputs that the page can take, too. */
const MEMBERS = new Set(['text', 'chunks', 'tools', 'thought_in_content', 'parallel_calls'])

/** The text of a case and its settings; null for a case that the page cannot take, such as one with a choice of tools. */
function questionOf({ format, op, input, isOpen }) {
  if ([...input.keys()].some((key) => !MEMBERS.has(key))) return null
  const chunks = input.get('chunks')
  const text = isList(chunks) ? chunks.join('') : input.get('text')
  if (typeof text !== 'string' || text === '') return null
  const tools = input.get('tools')
  return {
    format,
    text,
    setting: {
      op,
      tools: isList(tools) ? dumps(tools) : null,
      thoughtInContent: input.get('thought_in_content') === true,
      parallelCalls: input.get('parallel_calls') === true,
      isOpen,
    },
  }
}

/** An engine's answer, as `EngineAnswer`; null for a value that is neither an answer nor a refusal. */
function engineAnswer(value) {
  if (value === null) return { refused: '' }
  if (typeof value === 'string') return { refused: value }
  if (!(value instanceof Map)) return null
  if (!value.has('calls')) return value.has('type') ? { refused: textOrEmpty(value.get('message')) } : null
  const [reasoning, content] = [value.get('reasoning'), value.get('content')].map(textOrEmpty)
  return {
    ...(reasoning === '' ? {} : { reasoning }),
    ...(content === '' ? {} : { content }),
    calls: value.get('calls').map(callOf),
  }
}

function callOf(call) {
  const given = call.get('arguments')
  const id = textOrEmpty(call.get('id'))
  return [
    textOrEmpty(call.get('name')),
    typeof given === 'string' ? given : dumps(given ?? null),
    ...(id === '' ? [] : [id]),
  ]
}

function textOrEmpty(value) {
  return typeof value === 'string' ? value : ''
}

/** Collects answers of engines, equal ones once, as `EngineRecords` of `src/engines`. */
export function createRecords() {
  const engines = createList()
  const settings = createList()
  const reasons = createList()
  const answers = createList()
  const rows = new Map()
  const rowOf = ({ format, text, setting: given }) => {
    const own = rows.get(format) ?? new Map()
    rows.set(format, own)
    const setting = settings.add(given)
    const key = `${setting} ${text}`
    const row = own.get(key) ?? { format, text, setting, alike: new Set(), otherwise: new Map() }
    own.set(key, row)
    return row
  }
  return {
    alike: (engine, question) => rowOf(question).alike.add(engines.add(engine)),
    // The first of several ways to cut a text represents the others.
    otherwise: (engine, question, { reason, answer }) => {
      const { text, otherwise } = rowOf(question)
      const at = engines.add(engine)
      if (otherwise.has(at)) return
      const recorded = answer?.content === text ? { ...answer, content: true } : answer
      otherwise.set(at, [reason === null ? null : reasons.add(reason), answer === null ? null : answers.add(recorded)])
    },
    data: () => ({
      engines: engines.all(),
      settings: settings.all(),
      reasons: reasons.all(),
      answers: answers.all(),
      rows: [...rows.values()].flatMap((own) => [...own.values()].map(textRow)),
    }),
  }
}

/** A text differs if one of several ways to stream it does. */
function textRow({ alike, otherwise, ...row }) {
  return {
    ...row,
    alike: [...alike].filter((engine) => !otherwise.has(engine)),
    otherwise: [...otherwise].map(([engine, [reason, answer]]) => [engine, reason, answer]),
  }
}

/** Equal values have one number. */
function createList() {
  const numbers = new Map()
  const things = []
  return {
    add: (thing) => {
      const key = JSON.stringify(thing)
      const known = numbers.get(key)
      if (known !== undefined) return known
      numbers.set(key, things.length)
      return things.push(thing) - 1
    },
    all: () => things,
  }
}
