import childProcess from 'node:child_process'
import { readdirSync, readFileSync, rmSync, statSync, mkdtempSync, cpSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMMANDS } from '../src/commands.ts'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'
import { runIn } from './helpers/own-server.ts'
import { freePort } from './helpers/servers.ts'

const PAGE = resolve(import.meta.dirname, '../../../docs/trust.md')

/** What the page says of a command, and what a command line did. */
const COLUMNS = ['reads', 'runs', 'sends', 'listens', 'writes'] as const
type Column = (typeof COLUMNS)[number]
type Facts = Readonly<Record<Column, readonly string[]>>

/** The rows of the table: the cells of a command, empty where it says —. */
function rows(): ReadonlyMap<string, Readonly<Record<Column, string>>> {
  const [, table = ''] = readFileSync(PAGE, 'utf8').split('<!-- trust-table -->')
  const lines = table.split('\n').filter((line) => line.startsWith('| `'))
  return new Map(
    lines.map((line) => {
      const [, name = '', ...cells] = line.split('|').map((cell) => cell.trim())
      const entries = COLUMNS.map((column, at) => [column, cells[at] === '—' ? '' : (cells[at] ?? '')] as const)
      return [name.replaceAll('`', ''), Object.fromEntries(entries) as Record<Column, string>]
    }),
  )
}

/** A module that leaves a file in the folder of all traps when it is imported. */
const trap = (name: string, text: string): string =>
  `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(join(marks, name))}, '')\n${text}`

const marks = mkdtempSync(join(tmpdir(), 'callspec-'))
const made = mkdtempSync(join(tmpdir(), 'callspec-'))
const sent = { run: '', tape: join(made, 'tape.jsonl'), port: 0 }

beforeAll(async () => {
  const line = 'eval -m sim/perfect -f nous -n 1 --repeat 1 --no-table --record tape.jsonl'
  await inProcess(line.split(' '), { cwd: made })
  Object.assign(sent, { run: runIn(made), port: await freePort() })
}, 60_000)
afterAll(() => {
  for (const folder of [marks, made]) rmSync(folder, { recursive: true })
})

/** Files that name code, an address and a variable that no option is called like: each is a trap for a command that reads it. */
function traps(kind: 'code' | 'data'): Readonly<Record<string, string>> {
  return {
    '.env': `CALLSPEC_MODLE=x\nOPENAI_BASE_URL=http://127.0.0.1:${sent.port}/v1\n`,
    ...(kind === 'code'
      ? { 'callspec.config.mjs': trap('config', 'export default { timeLimit: 60 }') }
      : { 'callspec.config.json5': '{ repeet: 1 }' }),
    'callspec.golden.json5': `{ fixtures: 'prompts', command: 'touch ${join(marks, 'command')}; cat' }`,
    'prompts/conversation.json5': '{ messages: [{ role: "user", content: "Hi" }] }',
    'reply.txt': 'Hi',
    'outputs.jsonl': '{"text": "Hi"}\n',
    'answers.json5': `['{"title": "M", "directory": []}']`,
    'case.jsonl': `${JSON.stringify({ id: 'nous/parse/a#b', op: 'parse', format: 'nous', profile: 'strict', about: 'x', input: { text: 'Hi' }, expected: { items: [{ type: 'text', text: 'Hi' }] } })}\n`,
    'grammar.gbnf': 'root ::= "Hi"',
    'tools.json':
      '[{"type": "function", "function": {"name": "clock", "parameters": {"type": "object", "properties": {}}}}]',
    't.jinja': '{{ messages[0].content }}',
    'v.json': '{"messages": [{"role": "user", "content": "Hi"}]}',
    'traffic.sse': 'data: {"choices": []}\n\ndata: [DONE]\n\n',
  }
}

/** Runs a command line in a folder of traps and says what it touched. */
async function factsOf(line: string, kind: 'code' | 'data'): Promise<Facts> {
  const cwd = folderWith(traps(kind))
  cpSync(sent.run, join(cwd, 'run'), { recursive: true })
  const before = snapshot(cwd)
  const [sends, listens, runs] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const { connect } = net.Socket.prototype
  const { listen } = net.Server.prototype
  const { spawn } = childProcess
  let served = (): void => undefined
  const isServing = new Promise<void>((settle) => (served = settle))
  net.Socket.prototype.connect = function (this: net.Socket, ...words: unknown[]) {
    const [options] = Array.isArray(words[0]) ? (words[0] as unknown[]) : words
    const { host, port } = options as { host?: string; port?: number }
    if (!listens.has(String(port))) sends.add(`${host ?? 'localhost'}:${port ?? ''}`)
    return Reflect.apply(connect, this, words) as net.Socket
  }
  net.Server.prototype.listen = function (this: net.Server, ...words: unknown[]) {
    this.once('listening', () => {
      const address = this.address() as net.AddressInfo
      listens.add(address.address).add(String(address.port))
      served()
    })
    return Reflect.apply(listen, this, words) as net.Server
  } as typeof listen
  childProcess.spawn = ((...words: unknown[]) => {
    runs.add(words.flat().join(' '))
    return Reflect.apply(spawn, childProcess, words) as unknown
  }) as typeof spawn
  syncBuiltinESMExports()
  const listeners = process.listeners('SIGINT')
  try {
    const command = line.replaceAll('TAPE', sent.tape).replaceAll('PORT', String(sent.port)).split(' ')
    const running = inProcess(command, { cwd, input: '', env: { OPENAI_API_KEY: 'sk-shell' } })
    if (SERVERS.some((server) => line.startsWith(server))) {
      await isServing
      const [port] = [...listens].filter((each) => /^\d+$/.test(each))
      await fetch(`http://127.0.0.1:${port}/v1/models`).then((reply) => reply.text())
      // As Ctrl-C; the test runner has listeners of its own.
      const stop = setInterval(() => {
        for (const each of process.listeners('SIGINT')) if (!listeners.includes(each)) each('SIGINT')
      }, 20)
      await running.finally(() => clearInterval(stop))
    }
    const { stderr } = await running
    for (const name of readdirSync(marks)) {
      runs.add(name)
      rmSync(join(marks, name))
    }
    const reads = [
      ...(stderr.includes('CALLSPEC_MODLE') ? ['.env'] : []),
      ...(/unknown key "repeet"|callspec: runs callspec\.config/.test(stderr) ? ['configuration'] : []),
      ...(stderr.includes('(callspec.golden.json5)') ? ['golden'] : []),
    ]
    const changed = [...snapshot(cwd)].filter(([name, text]) => before.get(name) !== text).map(([name]) => name)
    return {
      reads,
      runs: [...runs],
      sends: [...sends],
      listens: [...listens].filter((each) => /\D/.test(each)),
      writes: changed,
    }
  } finally {
    Object.assign(net.Socket.prototype, { connect })
    Object.assign(net.Server.prototype, { listen })
    Object.assign(childProcess, { spawn })
    syncBuiltinESMExports()
  }
}

function snapshot(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  // A file that is written again with the same text is another one: it was written under another name and renamed.
  const entry = (name: string): string => {
    const { ino, size, mode } = statSync(join(folder, name))
    return `${ino} ${mode.toString(8).startsWith('4') ? '' : size}`
  }
  return new Map(names.map((name) => [name, entry(name)]))
}

const SERVERS = ['proxy --to', 'sim serve', 'playground --port', 'view --reports']

/** Command lines of each command that together show what its row says. */
const LINES: Readonly<Record<string, readonly string[]>> = {
  init: ['init'],
  new: ['new format acme'],
  render: ['render prompts/conversation.json5 -f nous -o out.json'],
  parse: ['parse reply.txt -f nous -o out.json'],
  reply: ['reply traffic.sse'],
  inspect: [
    'inspect t.jinja',
    'inspect http://127.0.0.1:PORT/acme/toy -o toy',
    'inspect t.jinja --against http://127.0.0.1:PORT/a/b',
  ],
  formats: ['formats'],
  identify: ['identify reply.txt', 'identify --template http://127.0.0.1:PORT/v1'],
  conformance: [
    'conformance run case.jsonl --junit out.xml',
    'conformance run case.jsonl --impl true',
    'conformance run --client true',
    'conformance run case.jsonl --http http://127.0.0.1:PORT/v1 --format nous',
  ],
  compat: ['compat ollama', 'compat --model Qwen3-8B --engine ollama'],
  harness: ['harness'],
  fuzz: ['fuzz -f nous --runs 5 --html out.html', 'fuzz -f nous --runs 1 --impl true'],
  grammar: [
    'grammar check grammar.gbnf --format nous --tools tools.json --html out.html',
    'grammar check grammar.gbnf --format nous --tools tools.json --template http://127.0.0.1:PORT/v1',
  ],
  eval: [
    'eval -m sim/perfect -f nous -n 1 --repeat 1 --no-table',
    'eval -m m -f nous -n 1 --repeat 1 --no-table --max-retries 0 --wait-for-server 0',
  ],
  doctor: ['doctor -m sim/perfect --quick', 'doctor'],
  proxy: ['proxy --to http://127.0.0.1:PORT/v1 --record traffic', 'proxy check traffic.sse'],
  report: ['report run --no-table', 'report --reports .'],
  view: ['view --reports . --port 0'],
  compare: ['compare run run --html out.html'],
  baseline: ['baseline bless run'],
  rescore: ['rescore run --no-table'],
  merge: ['merge run --into merged --no-table'],
  worker: ['worker --queue redis://127.0.0.1:PORT/0'],
  queue: ['queue status --queue redis://127.0.0.1:PORT/0'],
  batch: ['batch export -m m -f react -n 1 --repeat 1 -o requests.jsonl'],
  replay: ['replay TAPE -m sim/perfect -f nous -n 1 --repeat 1 --no-table'],
  tasks: ['tasks list', 'tasks list --mcp true'],
  sim: ['sim serve'],
  score: ['score outputs.jsonl -f nous'],
  tutorial: ['tutorial answers.json5 --topic x --prompts -o out.json'],
  transcripts: ['transcripts'],
  golden: ['golden verify', 'golden update'],
  template: ['template lint http://127.0.0.1:PORT/v1', 'template render t.jinja --variables v.json -o out.txt'],
  playground: ['playground --port 0', 'playground -o out.html', 'playground -o out.html --mcp true'],
  completion: ['completion bash'],
}

/** What no line here shows. */
const UNSEEN: Readonly<Record<string, readonly unknown[]>> = {
  // No site answers here; what is fetched is written in inspect.test.ts.
  inspect: [['writes', '`-o`', []]],
  // Only with Redis a worker comes to its metrics, whose tests are in the package of the queue.
  worker: [['listens', '127.0.0.1 for simulated models; `--metrics-port`', []]],
}

describe('the table of docs/trust.md', { timeout: 60_000 }, () => {
  it('has a row for every command', () => {
    expect([...rows().keys()].toSorted()).toEqual(COMMANDS.map(({ name }) => name).toSorted())
    expect(Object.keys(LINES).toSorted()).toEqual([...rows().keys()].toSorted())
  })

  it.each(Object.entries(LINES))('is true of %s', async (command, lines) => {
    const row = rows().get(command)
    const seen: Record<Column, string[]> = { reads: [], runs: [], sends: [], listens: [], writes: [] }

    for (const [index, line] of lines.entries())
      for (const kind of index === 0 ? (['code', 'data'] as const) : (['code'] as const)) {
        const facts = await factsOf(line, kind)
        for (const column of COLUMNS) seen[column].push(...facts[column])
      }

    // A cell that says — is wrong where something was seen; another one, where nothing was.
    const wrong = COLUMNS.filter((column) => (row?.[column] === '') === seen[column].length > 0)
    expect(wrong.map((column) => [column, row?.[column], seen[column]])).toEqual(UNSEEN[command] ?? [])
  })
})
