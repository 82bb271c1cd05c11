// What engines answered once: golden/recorded has whether they agree with the strict case, else what they answered.
import { readJudged, readRecorded, recordedCase, recordedDates, showing } from '@callspec/conformance'
import { engineAnswer, questionOf } from './question-of.js'

/** Adds every recorded answer about a reply. Where an engine agrees the text is that of the strict case, so it has to be found. */
export async function addRecorded(records, { cases }) {
  const answers = (await readRecorded()).filter(({ op }) => op === 'parse')
  const dates = await recordedDates([...new Set(answers.map(({ engine }) => engine))])
  const byName = new Map(cases.filter(({ op }) => op === 'parse').map((item) => [importedName(item), item]))
  const judged = new Map((await readJudged()).flatMap((each) => showing(each, answers).map((answer) => [answer, each])))
  for (const answer of answers) {
    const [name, version] = answer.engine.split(/@(.*)/s)
    const engine = { name, version, how: 'recorded', date: dates.get(answer.engine) ?? null }
    const twin = byName.get(recordedName(answer))
    if (answer.agrees === true) {
      if (twin?.question) records.alike(engine, twin.question)
      continue
    }
    const item = recordedCase(answer)
    const question = questionOf({ ...item, isOpen: answer.agrees === null })
    if (twin !== undefined && twin.text !== item.input.get('text'))
      throw new Error(`golden/recorded: ${answer.id} is of another text than ${twin.id}`)
    if (question === null) continue
    const reason =
      answer.agrees === null ? null : reasonOf(answer, { judged: judged.get(answer), evidence: twin?.evidence })
    records.otherwise(engine, question, { reason, answer: engineAnswer(answer.question.answered) })
  }
}

/** A vector `nous/parse/numbers#an integer` became a case about another topic, whose name is `numbers: an integer`. */
function importedName({ format, id }) {
  return `${format} ${id.slice(id.indexOf('#') + 1)}`
}

function recordedName({ format, id, engine }) {
  const own = id.endsWith(`@${engine}`) ? id.slice(0, -engine.length - 1).trimEnd() : id
  const [head, name] = own.split(/#(.*)/s)
  return `${format} ${head.split('/').at(-1)}: ${name}`
}

/** Nobody has looked at what stands in no report. */
function reasonOf({ about }, { judged, evidence = [] }) {
  if (judged !== undefined) return [judged.kind, judged.what, [judged.link]]
  return ['unverified', about.replace(/ This engine reads it otherwise\.$/, ''), evidence]
}
