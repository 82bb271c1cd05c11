import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { EnginePair, EngineRow } from './engine-file.ts'
import { ADAPTERS, pairsOf, readEngines, rowsOf } from './engine-file.ts'
import { pythonPath } from './engine-report.ts'
import { callspec, textTable } from './program.ts'

const ROOT = resolve(import.meta.dirname, '../../../..')
const SERVER = join(ADAPTERS, 'llama.cpp/repeats/repeating_server.py')

const HELP = `Usage
  node packages/cli/engine/dist/apis.js [--installed FOLDER] [--format NAME ...] [--output FOLDER]

One said text, six readings: llama-server with a model that repeats texts, for each
chat template of the engine llama.cpp, asked over chat, messages and responses.
Prints how many readings are the same, and which laws they break, by version.

Options
  --installed FOLDER   The folder of the rows llama.cpp@VERSION. Default: .engines.
  --format NAME        Only templates of this format.
  --output FOLDER      Keep what callspec prints for each template.
`

/** A line that `conformance run --api --json` writes. */
interface ResultLine {
  readonly request: string
  readonly verdict: string
  readonly readings: readonly string[]
  readonly faults: readonly { readonly api: string; readonly form: string; readonly rule: string }[]
}

/** What the readings of one API in one form have in common, of all templates. */
interface FormCounts {
  readings: number
  same: number
  lawful: number
  readonly rules: Map<string, number>
}

process.exitCode = await main(process.argv.slice(2))

async function main(words: readonly string[]): Promise<number> {
  const text = { type: 'string' } as const
  const options = {
    installed: text,
    format: { ...text, multiple: true },
    output: text,
    help: { type: 'boolean' },
  } as const
  const { values } = parseArgs({ args: [...words], options })
  if (values.help === true) {
    process.stdout.write(HELP)
    return 0
  }
  const installed = resolve(values.installed ?? join(ROOT, '.engines'))
  const rows = rowsOf(readEngines(ADAPTERS), ['llama.cpp'], { adapters: ADAPTERS, installed })
  for (const row of rows) {
    const name = `${row.engine.name}@${row.version.version}`
    if (!existsSync(row.folder)) process.stdout.write(`${name}: skipped: there is no ${row.folder}\n`)
    else await measureRow(row, { name, formats: values.format ?? [], output: values.output ?? null })
  }
  return 0
}

interface Measuring {
  readonly name: string
  readonly formats: readonly string[]
  readonly output: string | null
}

async function measureRow(row: EngineRow, { name, formats, output }: Measuring): Promise<void> {
  const counts = new Map<string, FormCounts>()
  const prompts = { of: 0, same: 0 }
  const [asked, unsaid]: [string[], string[]] = [[], []]
  for (const pair of pairsOf(row).filter(({ format }) => formats.length === 0 || formats.includes(format))) {
    const results = await resultsOf(row, pair, output)
    if (results === null) unsaid.push(pair.format)
    else {
      asked.push(pair.format)
      for (const result of results) addResult(result, counts, prompts)
    }
  }
  const lines = [...counts].map(([key, { readings, same, lawful, rules }]) => {
    const broken = [...rules].map(([rule, times]) => `${rule} ${times}`).join(', ')
    return [key, String(readings), String(same), String(lawful), broken]
  })
  const table = textTable(['reading', 'n', 'same', 'lawful', 'else'], lines, [20, 6, 6, 6, 200])
  process.stdout.write(
    `${name}: ${asked.length} templates (${asked.join(', ')})\n${table}\nprompts: ${prompts.same} of ${prompts.of} the same\n` +
      `nothing was said with ${unsaid.length === 0 ? 'none' : unsaid.join(', ')}\n\n`,
  )
}

function addResult(
  { request, verdict, readings, faults }: ResultLine,
  counts: Map<string, FormCounts>,
  prompts: { of: number; same: number },
): void {
  if (request === 'prompt') {
    if (verdict === 'skipped') return
    prompts.of += 1
    if (faults.length === 0) prompts.same += 1
    return
  }
  for (const key of readings) {
    const count = counts.get(key) ?? { readings: 0, same: 0, lawful: 0, rules: new Map<string, number>() }
    counts.set(key, count)
    const rules = faults.filter(({ api, form }) => `${api} ${form}` === key).map(({ rule }) => rule)
    const isLaw = (rule: string): boolean => /^[A-Z]\d+$/.test(rule)
    count.readings += 1
    if (rules.every((rule) => isLaw(rule) || rule === 'space')) count.same += 1
    if (!rules.some(isLaw)) count.lawful += 1
    for (const rule of rules) count.rules.set(rule, (count.rules.get(rule) ?? 0) + 1)
  }
}

/** The results of one template; null where its server says no text. */
async function resultsOf(
  row: EngineRow,
  { parser, format }: EnginePair,
  output: string | null,
): Promise<readonly ResultLine[] | null> {
  const template = join(row.folder, 'models/templates', `${parser}.jinja`)
  const words = ['-W', 'ignore', SERVER, '--template', template, '--format', format]
  const child = spawn('python3', words, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...pythonPath(row) },
  })
  const scratch = mkdtempSync(join(tmpdir(), 'callspec-apis-'))
  try {
    const url = await firstLine(child.stdout)
    if (url === '') return null
    const json = join(output ?? scratch, `${row.version.version}-${format}.jsonl`)
    const cases = join(ROOT, 'fixtures', format, 'parse/basic.json')
    const asked = ['--http', url, '--say', 'repeat', '--api', 'chat,messages,responses', '--format', format]
    const ended = await callspec(['conformance', 'run', ...asked, '--cases', cases, '--json', json], scratch)
    if (ended.code === 3) return null
    return readFileSync(json, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as ResultLine)
  } finally {
    child.kill('SIGKILL')
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Empty where the program ends without one. */
async function firstLine(stream: AsyncIterable<Buffer>): Promise<string> {
  let text = ''
  for await (const piece of stream) {
    text += piece.toString('utf8')
    if (text.includes('\n')) return text.slice(0, text.indexOf('\n'))
  }
  return ''
}
