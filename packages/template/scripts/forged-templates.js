// Writes packages/template/forged-templates.json, and the tables of docs/forged-text.md and docs/zh/forged-text.md.
// Run `pnpm build` first, then
//   node packages/template/scripts/forged-templates.js 2026-01-31 FOLDER...
// A FOLDER holds templates.json, a list of {name, sha256, source, path, at}, and texts/<sha256>.jinja. No text of a template
// is written.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { ATTACKS, forgeTemplate } from '../dist/lint/index.js'

const ROOT = resolve(import.meta.dirname, '../../..')
const DATA = join(ROOT, 'packages/template/forged-templates.json')
const PAGES = [
  { path: 'docs/forged-text.md', head: ['Template', 'sha256'] },
  { path: 'docs/zh/forged-text.md', head: ['模板', 'sha256'] },
]
const SIGNS = { forged: '✗', 'other-bytes': '≠', refused: '–', 'not-shown': '–' }
const [date = '', ...folders] = process.argv.slice(2)

if (!/^\d{4}-\d\d-\d\d$/.test(date) || folders.length === 0) {
  process.stderr.write('forged-templates: give the date, then folders of templates: 2026-01-31 FOLDER\n')
  process.exitCode = 2
} else {
  const templates = folders.flatMap(forgeFolder)
  await writeFormatted(DATA, JSON.stringify({ date, templates }), 'json')
  for (const { path, head } of PAGES) {
    const page = join(ROOT, path)
    if (!existsSync(page)) continue
    await writeFormatted(page, between(readFileSync(page, 'utf8'), table(templates, head)), 'markdown')
  }
}

async function writeFormatted(path, text, parser) {
  writeFileSync(path, await format(text, { ...(await resolveConfig(path)), parser }))
}

function forgeFolder(folder) {
  return JSON.parse(readFileSync(join(folder, 'templates.json'), 'utf8')).flatMap(
    ({ name, sha256, source, path, at }) => {
      const file = join(folder, 'texts', `${sha256}.jinja`)
      const text = existsSync(file) ? readFileSync(file, 'utf8') : null
      if (text === null || createHash('sha256').update(text).digest('hex') !== sha256) return []
      const { attacks } = forgeTemplate({ source: text }, null)
      const [from, title] = name.split('__')
      return [
        {
          ...{ name: `${title ?? name} (${from})`, source, path, at, sha256 },
          outcomes: Object.fromEntries(attacks.map(({ attack, outcome }) => [attack, outcome])),
        },
      ]
    },
  )
}

function between(page, text) {
  const [start, end] = ['<!-- forged -->', '<!-- /forged -->']
  const [from, to] = [page.indexOf(start) + start.length, page.indexOf(end)]
  return `${page.slice(0, from)}\n\n${text}\n\n${page.slice(to)}`
}

function table(templates, head) {
  const names = ATTACKS.map(({ name }) => name)
  const rows = templates.map(({ name, sha256, outcomes }) => [
    name,
    `\`${sha256.slice(0, 12)}\``,
    ...names.map((attack) => SIGNS[outcomes[attack]]),
  ])
  const count = (attack) => templates.filter(({ outcomes }) => outcomes[attack] === 'forged').length
  const sum = [`✗ / ${templates.length}`, '', ...names.map((attack) => String(count(attack)))]
  return [[...head, ...names.map((name) => `\`${name}\``)], ['-', '-', ...names.map(() => ':-:')], ...rows, sum]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}
