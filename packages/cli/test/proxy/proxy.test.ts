import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { folderWith } from '../helpers/folder.ts'
import { inProcess } from '../helpers/in-process.ts'
import { serve } from '../helpers/own-server.ts'

const BINARY = resolve(import.meta.dirname, '../../bin/callspec.js')

interface Running {
  readonly baseUrl: string
  /** Ends it as Ctrl-C does, and gives what it said. */
  stop(): Promise<{ readonly code: number | null; readonly stderr: string }>
}

async function start(words: readonly string[], cwd: string): Promise<Running> {
  const child = spawn(process.execPath, [BINARY, 'proxy', ...words], { cwd, env: {} })
  onTestFinished(() => void child.kill('SIGKILL'))
  let stderr = ''
  child.stderr.on('data', (part: Buffer) => (stderr += part.toString()))
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return {
    baseUrl: line.toString().trim(),
    stop: async () => {
      const gone = once(child, 'exit')
      child.kill('SIGINT')
      const [code] = (await gone) as [number | null]
      return { code, stderr }
    },
  }
}

const STREAM = [
  {
    id: 'r',
    choices: [
      {
        index: 0,
        delta: {
          role: 'assistant',
          content: '<tool_call>\n{"name": "clock", "arguments": {"zone": "Europe/Berlin"}}\n',
        },
      },
    ],
  },
  { id: 'r', choices: [{ index: 0, delta: { content: '</tool_call>' }, finish_reason: null }] },
  { id: 'r', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
]
  .map((event) => `data: ${JSON.stringify(event)}\n\n`)
  .concat('data: [DONE]\n\n')
  .join('')

const WHAT =
  'Name what callspec proxy --record wrote (*.traffic), a log of lines data: {…} (*.sse), or spans of OpenTelemetry (*.json, *.jsonl).'

describe('callspec proxy', { timeout: 60_000 }, () => {
  it('records what passes through, and its check finds what is wrong and makes a case of it', async () => {
    const cwd = folderWith({ 'hide.mjs': "export const redact = (text) => text.replaceAll('Ada', 'X')" })
    const upstream = await serve((request, response) => {
      request.resume()
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(STREAM)
    })
    const { baseUrl, stop } = await start(['--to', upstream, '--record', 'traffic', '--redact', 'hide.mjs'], cwd)

    const reply = await fetch(`${baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-0123456789' },
      body: '{"messages": [{"content": "I am Ada."}]}',
    })
    const text = await reply.text()
    const { code, stderr } = await stop()

    expect([text, code]).toEqual([STREAM, 0])
    expect(stderr).toContain('1 exchange recorded in 1 file.\n')
    const folder = join(cwd, 'traffic')
    const [name = ''] = readdirSync(folder)
    const bytes = readFileSync(join(folder, name), 'utf8')
    expect([statSync(folder).mode & 0o777, bytes.includes('Ada'), bytes.includes('0123456789')]).toEqual([
      0o700,
      false,
      false,
    ])

    const found = await inProcess(['proxy', 'check', 'traffic', '--save', 'kept'], { cwd })

    expect(found.code).toBe(1)
    expect(found.stdout).toContain('broken  call-in-text in 1\n')
    expect(found.stdout).toContain('Calls that were left are in the format nous (1).')
    const again = await inProcess(['conformance', 'run', '--cases', 'kept'], { cwd })
    expect([again.code, again.stdout]).toEqual([0, expect.stringMatching(/\b1 passed/)])
  })

  it('prints findings as JSON, also of logs of others, and ends with 0 without findings', async () => {
    const log =
      'data: {"id":"r","choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n'
    const cwd = folderWith({ 'a.sse': log })

    const { code, stdout } = await inProcess(['proxy', 'check', 'a.sse', '--json'], { cwd })

    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        schema: 1,
        kind: 'traffic',
        exchanges: 1,
        streamed: 1,
        refused: 0,
        unreadable: 0,
        unread: [],
        torn: null,
        compared: 0,
        checks: [],
        formats: {},
        prefixes: { followed: 0, stable: 0, bytes: { before: 0, same: 0 }, tokens: null, breaks: [] },
      },
    ])
  })

  it('gives no verdict where no reply can be read, and says how many could where some can', async () => {
    const [none, one] = [
      'data: {"object": "list"}\n\ndata: [DONE]\ndata: hello\n',
      'data: {"id":"r","choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}\n',
    ]
    const cwd = folderWith({ 'none.sse': none, 'both.sse': `${none}data: [DONE]\n${one}` })

    const lost = await inProcess(['proxy', 'check', 'none.sse'], { cwd })
    const both = await inProcess(['proxy', 'check', 'both.sse'], { cwd })

    expect([lost.code, lost.stderr]).toEqual([
      3,
      'callspec: none.sse: no verdict: none of the 2 replies can be read. Only completions, messages and responses are.\n',
    ])
    expect(lost.stdout).toContain(
      'unread  no-completion none.sse#1\n        the reply is JSON, but not a chat or text completion',
    )
    expect(lost.stdout).toContain('unread  no-json none.sse#2\n')
    expect(lost.stdout).not.toContain('Nothing was found')
    expect([both.code, both.stdout]).toEqual([
      0,
      expect.stringContaining('Nothing was found in what could be read: 1 reply.'),
    ])
    expect(both.stdout.replaceAll('\n', ' ')).toContain('2 without a reply that can be read')
  })

  it.each([
    [[], 'which server? Give --to URL, such as --to http://127.0.0.1:8000/v1'],
    [['--to', 'localhost'], '--to: "localhost" is no http address. Give one such as http://127.0.0.1:8000/v1'],
    [['--to', 'http://x', '--sample', '0.1'], '--sample needs --record FOLDER.'],
    [['--to', 'http://x', '--without-requests'], '--without-requests needs --record FOLDER.'],
    [['--to', 'http://x', '--record', 'file/x'], 'file/x: recordings cannot be written there (ENOTDIR)'],
    [['--to', 'http://x', '--record', 'file'], 'file: recordings cannot be written there (ENOTDIR)'],
    [['--to', 'http://x', '--save', 'cases'], '--save belongs to callspec proxy check PATH.'],
    [
      ['--to', 'http://x', '--record', 't', '--redact', 'no.mjs'],
      'no.mjs: exports no function redact(text). It exports: other.',
    ],
    [['--to', 'http://x', '--record', 't', '--sample', '2'], '--sample must be a number from 0 to 1, got "2"'],
    [['traffic'], 'unknown subcommand "traffic" of callspec proxy. Known: check.'],
    [['check'], 'which recording? Name the folder of a recording, or a log of data: lines.'],
    [['check', 'nowhere'], `nowhere: no such file or folder. ${WHAT}`],
    [['check', 'file'], `file: contains no exchange and no stream. ${WHAT}`],
    [['check', 'folder'], `folder: contains no exchange and no stream. ${WHAT}`],
    [['check', ''], 'the path is empty. Name the folder of a recording, or a log.'],
    [['check', 'file', '--port', '8900'], '--port belongs to callspec proxy --to URL.'],
  ])('says what is wrong with %j', async (words, message) => {
    const cwd = folderWith({ file: 'x', 'folder/not.sse/x': '', 'no.mjs': 'export const other = 1' })

    const { code, stderr } = await inProcess(['proxy', ...words], { cwd })

    expect([code, stderr]).toEqual([2, `callspec: ${message}\n`])
  })

  it('names a port that is taken', async () => {
    const server = createServer()
    onTestFinished(() => void server.close())
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo

    const { code, stderr } = await inProcess(['proxy', '--to', 'http://x', '--port', String(port)], {
      cwd: folderWith({}),
    })

    expect([code, stderr]).toEqual([
      2,
      `callspec: port ${port} of 127.0.0.1 is taken. Give another one with --port, or leave it out.\n`,
    ])
  })

  it('says of a recording that is torn that it is, wherever that was, and not that nothing was found', async () => {
    const answer = JSON.stringify({
      id: 'r',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
    })
    const cwd = folderWith({})
    const upstream = await serve((request, response) => {
      request.resume()
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
    })
    const { baseUrl, stop } = await start(['--to', upstream, '--record', 'traffic'], cwd)
    for (const model of ['m', 'n']) {
      const response = await fetch(`${baseUrl}/chat/completions`, { method: 'POST', body: JSON.stringify({ model }) })
      await response.text()
    }
    await stop()
    const [name = ''] = readdirSync(join(cwd, 'traffic'))
    const whole = readFileSync(join(cwd, 'traffic', name))
    const said = async (length: number): Promise<string> => {
      writeFileSync(join(cwd, 'torn.traffic'), whole.subarray(0, length))
      return (await inProcess(['proxy', 'check', 'torn.traffic'], { cwd })).stdout
    }

    expect(await said(whole.length)).toContain('Nothing was found')
    const ends = whole.indexOf('"kind":"end"') + 12
    const firstEnd = whole.indexOf(10, ends) + 1
    for (const length of [firstEnd + 20, firstEnd + 200, whole.length - 150, whole.length - 20, whole.length - 1]) {
      const stdout = await said(length)
      expect([
        length,
        stdout.includes('Nothing was found'),
        stdout.includes('the recording breaks off in torn.traffic'),
      ]).toEqual([...[length, false, true]])
    }
  })
})
