// Prints, as Markdown for an issue, what is new and gone in rows: node what-is-new.mjs NAME@VERSION ... [--data DIR]
import { parseArgs } from 'node:util'
import { changesBetween, openCompatData, tallyOf } from '../dist/index.js'

/** So many cases of a list are shown. */
const SHOWN = 40

const { values, positionals } = parseArgs({ allowPositionals: true, options: { data: { type: 'string' } } })
const data = openCompatData(values.data)
for (const name of positionals) console.log(textOfRow(name))

function textOfRow(name) {
  const [engineName, version] = name.split('@')
  const engine = data.index.engines.find((each) => each.name === engineName)
  const at = engine?.versions.findIndex((each) => each.version === version) ?? -1
  if (engine === undefined || at < 0) throw new Error(`the data has no ${name}`)
  const row = data.row(engineName, version)
  const { right, asked, cut, contested, wrong } = tallyOf(row.results)
  const head = `## ${row.title} ${version} of ${row.date}\n\n${right}/${asked} right, ${cut} cut by policy, ${contested} contested, ${wrong} wrong.\n`
  const before = engine.versions[at + 1]
  if (before === undefined) return `${head}\nNo version before it was asked.\n`
  const { fresh, gone } = changesBetween(data.row(engineName, before.version), row, data.asked())
  return `${head}\nSince ${before.version}:\n${listOf('new', fresh)}${listOf('gone', gone)}`
}

function listOf(title, changes) {
  const lines = changes
    .slice(0, SHOWN)
    .map(({ parser, id, before, after }) => `- ${code(parser)}: ${code(id)}: ${before}, now ${after}`)
  const more = changes.length > SHOWN ? [`- and ${changes.length - SHOWN} more`] : []
  return `\n### ${changes.length} ${title}\n\n${[...lines, ...more].join('\n')}\n`
}

/** A code span of Markdown. */
function code(text) {
  return `\`${text.replaceAll('`', () => "'").replaceAll(/\s+/g, ' ')}\``
}
