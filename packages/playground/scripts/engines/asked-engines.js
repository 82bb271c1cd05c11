// What was found by asking engines here: reports/scoreboard has the counts, the lists of known failures, and answers.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readKnownFailures, readScoreboard } from '@callspec/conformance'
import { loads } from '@callspec/python'
import { engineAnswer } from './question-of.js'

/** Our own results are no news beside what the page reads itself. */
const OWN = 'callspec.json'

/** Adds every verdict about the strict cases that the committed files tell apart. */
export async function addAsked(records, { folder, cases }) {
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.json') && each !== OWN)) {
    const { implementation, results } = await readScoreboard(join(folder, name))
    for (const result of results) await addResult(records, { folder, cases, implementation, result })
  }
}

async function addResult(records, { folder, cases, implementation, result: { version, casesVersion, cells } }) {
  const known = await readKnownFailures(knownFile(folder, `${implementation} ${version}`))
  const said = saidOf(folder, `${implementation} ${version}`)
  const engine = { name: implementation, version, how: 'asked', date: `cases ${casesVersion}` }
  for (const cell of cells.filter(({ profile, op }) => profile === 'strict' && op !== 'render')) {
    const own = cases.filter(({ format, op }) => format === cell.format && op === cell.op)
    const isTold = passes({ cell, own, known, topics: said.topics })
    for (const item of own.filter(({ question }) => question !== null)) {
      const entry = known.entry(item.id)
      if (entry !== null)
        records.otherwise(engine, item.question, { reason: reasonOf(entry), answer: said.answerTo(item.id) })
      else if (isTold(item)) records.alike(engine, item.question)
    }
  }
}

/**
 * Whether a case that is not listed has passed. Counts tell that where they add up to the cases that there are, as many failed as are
 * listed, and none was left out; where some were, the counts of its topic have to.
 */
function passes({ cell, own, known, topics }) {
  const adds = (count, items) =>
    count !== undefined &&
    count.skipped === 0 &&
    count.passed + count.failed + count.errored === items.length &&
    count.failed + count.errored === items.filter(({ id }) => known.entry(id) !== null).length
  if (adds(cell, own)) return () => true
  const told = new Set()
  for (const topic of new Set(own.map((item) => item.topic))) {
    const count = topics.find((each) => each.format === cell.format && each.op === cell.op && each.topic === topic)
    const about = own.filter((item) => item.topic === topic)
    if (adds(count, about)) told.add(topic)
  }
  return ({ topic }) => told.has(topic)
}

/** The list says in its first line whose it is. */
function knownFile(folder, engine) {
  const files = readdirSync(join(folder, 'known')).map((name) => join(folder, 'known', name))
  const found = files.find((file) => readFileSync(file, 'utf8').startsWith(`# Known failures of ${engine}. `))
  if (found === undefined) throw new Error(`${folder}/known has no list of the known failures of ${engine}`)
  return found
}

/** Counts by topic and answers, where they were kept. */
function saidOf(folder, engine) {
  const files = readdirSync(join(folder, 'said')).map((name) => join(folder, 'said', name))
  const found = files.find((file) => loads(readFileSync(file, 'utf8')).get('implementation') === engine)
  if (found === undefined) return { topics: [], answerTo: () => null }
  const answers = loads(readFileSync(found, 'utf8')).get('answers')
  return {
    topics: JSON.parse(readFileSync(found, 'utf8')).topics,
    answerTo: (id) => (answers.has(id) ? engineAnswer(answers.get(id)) : null),
  }
}

function reasonOf({ kind, reason }) {
  const links = reason.match(/https?:\/\/\S+/g) ?? []
  return [kind, words(reason, links), links]
}

/** A sentence without the links that stand beside it. */
function words(reason, links) {
  const [first] = links
  return first !== undefined && reason.startsWith(first) ? reason.slice(first.length).trim() : reason
}
