// What `make-data.mjs` makes of one report: pure functions.
import { createHash } from 'node:crypto'
import { askedIds, GRADES, sameCases } from '@callspec/conformance'

/** Verdicts that a contested case may have: the answer differs from ours. */
const WRONG = new Set(['id', 'number', 'cut', 'refused', 'failed'])

/** Texts by their hash. Equal texts are kept once. */
export function createTexts() {
  const texts = new Map()
  return {
    keep(text) {
      const hash = shortHash(text)
      const other = texts.get(hash)
      if (other !== undefined && other !== text) throw new Error(`two texts have the hash ${hash}`)
      texts.set(hash, text)
      return hash
    },
    all: () => Object.fromEntries([...texts].toSorted(([one], [other]) => (one < other ? -1 : 1))),
  }
}

function shortHash(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}

/** Lists of ids by their hash. Equal lists are kept once. */
export function createLists() {
  const texts = createTexts()
  const byHash = new Map()
  return {
    keep(ids) {
      const hash = texts.keep(ids.join('\n'))
      byHash.set(hash, ids)
      return hash
    },
    idsOf: (hash) => byHash.get(hash),
    all: () => Object.fromEntries([...byHash].toSorted(([one], [other]) => (one < other ? -1 : 1))),
  }
}

/**
 * The document of a row. Verdicts on cases that have changed since, or are gone, are left out: these were not asked in the words of today.
 * `today` and `listOf` give the cases of today and those of a count.
 */
export async function engineData(report, { today, listOf, lists, texts, contested, currentId, packageManager }) {
  const { engineReport: _, counts, deviations, ...head } = report
  const byPair = groupBy(deviations, ({ parser, format, id }) => `${parser} ${format} ${operationOf(id)}`)
  const results = []
  for (const each of counts) {
    const { parser, format, op } = each
    const then = listOf(each)
    const ids = askedIds(then, sameCases(await today.of(format, op, then.cuts), then))
    const asked = new Set(ids)
    const cases = {}
    for (const { id, verdict, gave } of byPair.get(`${parser} ${format} ${op}`) ?? []) {
      const name = currentId(id)
      if (!asked.has(name)) continue
      const grade = WRONG.has(verdict) && contested.has(withoutCut(name)) ? 'contested' : verdict
      // Streams that nobody meets count for nothing: their answers are left out.
      cases[name] = verdict === 'synthetic' ? [grade] : [grade, texts.keep(gave)]
    }
    const passed = ids.length - Object.keys(cases).length
    results.push({ parser, format, operation: op, counts: countsOf(cases, passed), asked: lists.keep(ids), cases })
  }
  return { compatData: 1, ...head, commands: { repeat: repeatCommand(report, packageManager) }, results }
}

/** `{parser}`, `{format}` and `{case}` are to be replaced. */
function repeatCommand({ engine, version }, packageManager) {
  return `npx --yes ${packageManager} engines ${engine}@${version} --only '{parser}/{format}' --id '{case}'`
}

function operationOf(id) {
  return / ~[a-z]+(?:-\d)?$/.test(id) ? 'cut' : id.split('/')[1]
}

function withoutCut(id) {
  return id.replace(/ ~[a-z]+(?:-\d)?$/, '')
}

function countsOf(cases, passed) {
  const counts = new Map([['passed', passed]])
  for (const [verdict] of Object.values(cases)) counts.set(verdict, (counts.get(verdict) ?? 0) + 1)
  return Object.fromEntries(GRADES.flatMap((grade) => (counts.get(grade) ? [[grade, counts.get(grade)]] : [])))
}

/** JSON Lines: the head, then a case per line. */
export function engineLines({ results, ...head }, lists) {
  const lines = [JSON.stringify(head)]
  for (const { parser, format, operation, asked, cases } of results) {
    for (const id of lists.idsOf(asked)) {
      const [verdict, answer] = cases[id] ?? ['passed']
      lines.push(JSON.stringify({ parser, format, operation, case: id, verdict, ...(answer && { answer }) }))
    }
  }
  return `${lines.join('\n')}\n`
}

/** What a list says of its cases: the kind of a known failure, and why. */
const REASONS = {
  id: '[unverified] id: right but for ids of calls',
  number: '[unverified] number: right but for the spelling of a number',
  cut: '[policy] cut: hands on what there is of a call that was cut off',
  refused: '[unverified] refused: a text that can be read',
  failed: '[unverified] failed: reads another content or other calls',
  contested: '[contested] the case may be wrong',
  errored: '[unverified] errored: gave no answer',
  skipped: '[not asked] the parser is not meant to read it, or its prompt cannot lead to it',
  synthetic: '[not asked] no user meets such a stream',
}

/** Known failures of fixed cases, as `callspec conformance triage` keeps them: a file per parser and format. */
export function knownLists({ engine, version, results }) {
  const byPair = groupBy(
    results.filter(({ operation }) => operation === 'parse' || operation === 'stream'),
    ({ parser, format }) => `${parser} ${format}`,
  )
  return [...byPair.values()].map((pair) => {
    const [{ parser, format }] = pair
    const all = pair.flatMap(({ cases }) => Object.entries(cases))
    const groups = Object.entries(REASONS).flatMap(([verdict, reason]) => {
      const ids = all.filter(([, [each]]) => each === verdict).map(([id]) => id)
      return ids.length === 0 ? [] : [`# ${reason}\n${ids.join('\n')}\n`]
    })
    return [knownFile(parser, format), [`# ${engine} ${version}, ${parser} with ${format}\n`, ...groups].join('\n')]
  })
}

/** The name of a parser may have signs that no file name should have. */
function knownFile(parser, format) {
  return `${parser.replaceAll(/[^\w.+-]+/g, '_')}.${format}.txt`
}

/** Node 20 has no `Map.groupBy`. */
function groupBy(items, keyOf) {
  const groups = new Map()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}
