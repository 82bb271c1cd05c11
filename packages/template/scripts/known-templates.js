// Writes the tables of docs/templates.md. Run `pnpm build` first, then
//   node packages/template/scripts/known-templates.js 2026-01-31 [FOLDER]
// FOLDER holds templates.json, a list of {name, sha256, source}, and texts/<sha256>.jinja. No text of a template is written.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { lintTemplate, RULES } from '../dist/lint/index.js'

const ROOT = resolve(import.meta.dirname, '../../..')
const PAGE = join(ROOT, 'docs/templates.md')
const [date = '', folder = join(ROOT, '../shared/vectors/templates')] = process.argv.slice(2)

if (!/^\d{4}-\d\d-\d\d$/.test(date)) {
  process.stderr.write('known-templates: give the date first: 2026-01-31\n')
  process.exitCode = 2
} else {
  const known = JSON.parse(readFileSync(join(folder, 'templates.json'), 'utf8'))
  const page = readFileSync(PAGE, 'utf8')
  const tables = between(between(page, 'rules', rulesTable()), 'templates', templatesTable(known))
  writeFileSync(PAGE, await format(tables, { ...(await resolveConfig(PAGE)), parser: 'markdown' }))
}

function between(page, name, text) {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const [from, to] = [page.indexOf(start) + start.length, page.indexOf(end)]
  return `${page.slice(0, from)}\n\n${text}\n\n${page.slice(to)}`
}

function rulesTable() {
  const rows = RULES.map(({ id, severity, about, remedy, reports }) => {
    const links = reports.map((address, index) => `[${index + 1}](${address})`).join(' ')
    return `| \`${id}\` | ${severity} | ${cell(about)} | ${cell(remedy)} | ${links} |`
  })
  return ['| Rule | Severity | What is wrong | What to do | Reports |', '| - | - | - | - | - |', ...rows].join('\n')
}

/** Braces and bars would be read as part of the table or the page. */
function cell(text) {
  return text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 0 ? part.replace(/[<*_{}[\]]/g, (sign) => `\\${sign}`) : part))
    .join('')
    .replaceAll('|', '\\|')
}

function templatesTable(known) {
  const rows = known.flatMap(({ name, sha256, source }) => {
    const path = join(folder, 'texts', `${sha256}.jinja`)
    const text = existsSync(path) ? readFileSync(path, 'utf8') : null
    if (text === null || createHash('sha256').update(text).digest('hex') !== sha256) return []
    const { findings } = lintTemplate({ source: text }, { rules: RULES.map(({ id }) => id) })
    const of = (severity) =>
      findings
        .filter((each) => each.severity === severity)
        .map(({ rule }) => rule)
        .join(', ')
    const [from, title] = name.split('__')
    return [
      `| ${title ?? name} (${from}) | ${of('error')} | ${of('warning')} | ${of('info')} | ${source.replace(/^github:/, '')} | \`${sha256}\` |`,
    ]
  })
  return [
    `What the lint found on ${date} in ${rows.length} templates in use; texts are known by their sha256, as \`callspec template lint --json\` prints it.`,
    '',
    '| Template | Errors | Warnings | Info | Found in | sha256 |',
    '| - | - | - | - | - | - |',
    ...rows,
  ].join('\n')
}
