// Says the strict cases of formats through llama.cpp with a tiny model, and keeps what came of it in reports/scoreboard.
//
//   node packages/conformance/scripts/say-llama.mjs TEMPLATES [FORMAT ...]
//
// TEMPLATES is a folder with the chat templates that adapters/llama.cpp/templates.json lists, such as models/templates of the
// repository that it names; the template of nous is here. A format whose template is not there is left out, and said to be.
// Without names it says all of them, which takes long. Needs a build.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { keepReport, REPORT } from './said/said-report.mjs'

const REPOSITORY = resolve(import.meta.dirname, '../../..')
const ADAPTER = resolve(import.meta.dirname, '../adapters/llama.cpp')
/** That of the commands which repeat a case. */
const PORT = '8151'

const [folder, ...wanted] = process.argv.slice(2)
if (folder === undefined) {
  process.stderr.write('usage: say-llama.mjs TEMPLATES [FORMAT ...]\n')
  process.exit(2)
}
const nous = { format: 'nous', path: join(ADAPTER, 'chatml.jinja') }
const listed = JSON.parse(readFileSync(join(ADAPTER, 'templates.json'), 'utf8')).map((each) => ({
  ...each,
  path: pathOf(each),
}))
const results = new Map()
for (const entry of [nous, ...listed]) {
  const { format, path, source } = entry
  if (wanted.length > 0 && !wanted.includes(format)) continue
  if (path === null) process.stdout.write(`${format}: left out, ${source} is not in ${folder}\n`)
  else results.set(format, [...(results.get(format) ?? []), ...(await say(entry))])
  if (results.has(format)) keepReport(REPORT, { format, lines: results.get(format) })
}

/** By its name, or by its sha256; what is in it counts. */
function pathOf({ file, sha256 }) {
  const paths = [join(folder, file), join(folder, `${sha256}.jinja`)].filter((path) => existsSync(path))
  return paths.find((path) => createHash('sha256').update(readFileSync(path)).digest('hex') === sha256) ?? null
}

/** The results of a format with a template, a line each: all that is said, or its prompts alone. */
async function say({ format, path, bos, eos, sha256, rendersOnly = false }) {
  const place = mkdtempSync(join(tmpdir(), 'callspec-say-'))
  const [model, results] = [join(place, 'tiny.gguf'), join(place, 'results.jsonl')]
  const tokens = Object.entries({ bos, eos }).flatMap(([name, text]) => (text === undefined ? [] : [`--${name}`, text]))
  run([join(ADAPTER, 'dist/make-tiny-model.js'), '--output', model, '--keep', '4300', '--template', path, ...tokens])
  const door = spawn(process.execPath, [join(ADAPTER, 'dist/main.js'), '--model', model, '--port', PORT], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    await new Promise((settle, fail) => {
      door.once('exit', (code) => fail(new Error(`the door ended with exit code ${code}`)))
      door.stdout.on('data', (piece) => /^http:/m.test(String(piece)) && settle())
    })
    const ops = (rendersOnly ? ['render'] : ['parse', 'stream', 'render']).flatMap((op) => ['--op', op])
    const named = sha256 === undefined ? [] : [`chat-template@${sha256.slice(0, 12)}`]
    const profiles = [...(rendersOnly ? [] : ['strict']), ...named].flatMap((profile) => ['--profile', profile])
    const how = ['--say', 'auto', '--reads-text', '--name', 'llama.cpp', '--time-limit', '300000']
    const kept = ['--scoreboard', '--json', results]
    const ask = ['conformance', 'run', '--http', `http://127.0.0.1:${PORT}/v1`, '--format', format, ...ops]
    const said = run(['packages/cli/bin/callspec.js', ...ask, ...profiles, ...how, ...kept])
    process.stdout.write(`${format}: ${/^\d+ passed, .*/m.exec(said)?.[0] ?? said}\n`)
    return readFileSync(results, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
  } finally {
    door.kill('SIGKILL')
    rmSync(place, { recursive: true, force: true })
  }
}

/** What a program prints. One that finds failures has done its work. */
function run(words) {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    cwd: REPOSITORY,
    encoding: 'utf8',
    maxBuffer: 1e8,
  })
  if (status !== 0 && status !== 1) throw new Error(`${words.join(' ')} ended with exit code ${status}: ${stderr}`)
  return stdout
}
