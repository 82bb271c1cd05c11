import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FORMAT_CHOICES } from '@callspec/eval'
import { displayWidth } from '../src/columns.ts'
import { answering } from './helpers/answering.ts'
import { BINARY, callspec } from './helpers/binary.ts'
import { folderWith, namesIn } from './helpers/folder.ts'
import { inProcess as inProcessAsIs, inProcessWithOldOptions as inProcess } from './helpers/in-process.ts'
import { completion, runIn, serveModel as serve } from './helpers/own-server.ts'
import { CLOSED_PORT } from './helpers/servers.ts'
import { onlyLong } from '../../tidy/test/share.ts'

// Each starts a process or loads the command: on a busy machine that alone may take seconds.
describe('callspec eval', { timeout: 60_000 }, () => {
  it('compares four formats on a simulated model and leaves a run folder', async () => {
    const cwd = folderWith({})

    // On both models: readme.long.test.ts, with the real program.
    const { code, stdout, stderr } = await inProcess(['eval', '-m', 'sim/perfect', '--repeat', '1'], {
      cwd,
      env: { CI: '1', OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' },
    })

    const lines = stdout.trimEnd().split('\n')
    expect(code).toBe(0)
    expect(stderr.replaceAll(/^\d+ of 168 episodes.*\n/gm, '')).toBe('')
    expect(lines.filter((line) => displayWidth(line) > 80)).toEqual([])
    expect(lines.slice(0, 10)).toEqual([
      '1 model × 4 formats × 42 tasks × 1 seed · stop words on · 168 of 168 episodes',
      '',
      'sim/perfect',
      '+--------+--------+--------+--------+--------+---------+--------+',
      '| format | syntax |  valid | strict |  clean | success |      n |',
      '+--------+--------+--------+--------+--------+---------+--------+',
      '| qwen   |  100.0 |  100.0 |  100.0 |  100.0 |   100.0 | 42 × 1 |',
      '|        | 89–100 | 89–100 | 89–100 | 91–100 |  91–100 |        |',
      '|        |  63/63 |  63/63 |  63/63 |  42/42 |   42/42 |        |',
      '| nous   |  100.0 |  100.0 |  100.0 |  100.0 |   100.0 | 42 × 1 |',
    ])
    expect(stdout.replaceAll('\n', ' ')).toContain(
      'self-check: all injected faults were found and attributed correctly: 428 turns, 168 episodes',
    )
    expect(lines.at(-3)).toMatch(/^reports\/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-[0-9a-f]{8}\/$/)
    expect(namesIn(runIn(cwd))).toEqual([
      'episodes.jsonl',
      'report.html',
      'report.md',
      'run.json',
      'suite.json',
      'summary.json',
      'turns.jsonl',
    ])
  })

  onlyLong(() => {
    it('adds the choice by state number when asked, and counts its parts apart', async () => {
      const cwd = folderWith({})

      const { code, stdout } = await inProcess(
        ['eval', '-m', 'sim/faulty', '-f', 'role-react', '-f', 'react', '--repeat', '1'],
        { cwd },
      )

      const lines = stdout.split('\n')
      expect(code).toBe(0)
      expect([lines[6], lines[9]].map((line = '') => line.split('|')[1]?.trim())).toEqual(['react', 'role-react'])
      expect(stdout).toMatch(
        /^ {2}role-react parts: numbers \d\d\.\d% strict, .* arguments \d\d\.\d% strict,\n {4}.* -1 in \d\d of 42 episodes$/m,
      )
      expect(stdout).toMatch(/all injected faults were found and attributed correctly:\s+\d+ turns,\s+84\s+episodes/)
      expect(JSON.parse(readFileSync(join(runIn(cwd), 'run.json'), 'utf8'))).toMatchObject({
        hosts: { react: 'main', 'role-react': 'metagpt@v0.8.1' },
      })
    })
  })

  onlyLong(() => {
    it('gives the same table and summary one at a time and eight at a time', async () => {
      const [one, eight] = [folderWith({}), folderWith({})]
      // Of many episodes, and whole or in pieces: acceptance/sameness.long.test.ts of eval.
      const words = ['eval', '--filter', '^T', '--model', 'sim/faulty', '--repeat', '1']

      const alone = await inProcess([...words, '-j', '1'], { cwd: one })
      const together = await inProcess([...words, '-j', '8'], { cwd: eight })

      const table = (stdout: string): string => stdout.split('\nreports/')[0] ?? ''
      const file = (cwd: string, name: string): string => readFileSync(join(runIn(cwd), name), 'utf8')
      expect(table(alone.stdout)).toBe(table(together.stdout))
      expect(file(one, 'summary.json')).toBe(file(eight, 'summary.json'))
      expect(file(one, 'episodes.jsonl')).toBe(file(eight, 'episodes.jsonl'))
    })
  })

  it('prints the summary as JSON, with the folder', async () => {
    const cwd = folderWith({})

    const { code, stdout } = await inProcess(
      'eval --json --limit 2 --lang zh -f react -m sim/perfect --no-stream --seed 5 --repeat 1 --reports out'.split(
        ' ',
      ),
      { cwd },
    )

    const summary = JSON.parse(stdout) as { folder: string; rows: object[] }
    expect(code).toBe(0)
    expect(summary.rows).toMatchObject([
      { model: 'sim/perfect', protocol: 'react', episodes: 2, rates: { task_success: { rate: 1 } } },
    ])
    expect(JSON.parse(readFileSync(join(cwd, summary.folder, 'run.json'), 'utf8'))).toMatchObject({
      tasks: ['S02', 'S04'],
      seed: 5,
      stream: false,
      endpoints: { 'sim/perfect': { baseUrl: 'simulated' } },
    })
  })

  it('asks a real server, whose text cannot touch the terminal, and shows unknown figures as a dash', async () => {
    const cwd = folderWith({})
    const asked: string[] = []
    const baseUrl = await serve((request, response) => {
      asked.push(request.headers.authorization ?? '')
      response.setHeader('content-type', 'application/json')
      response.end(completion('\u001b]0;owned\u0007 \u202e nothing'))
    })

    const { code, stdout } = await callspec(
      [
        'eval',
        '--no-stream',
        '--limit',
        '1',
        '--repeat',
        '1',
        '-f',
        'fncall-nous',
        '-m',
        'my\u001b[31m-model',
        '--base-url',
        baseUrl,
      ],
      { cwd, env: { OPENAI_API_KEY: 'sk-secret' } },
    )

    expect(code).toBe(0)
    expect(stdout).not.toMatch(/[\u001b\u0007\u202e]/)
    expect(stdout).toContain(
      '| nous   |      — |     — |      — |  100.0 |     0.0 | 1 × 1 |\n|        |        |       |        | 20–100 |    0–80 |       |\n|        |        |       |        |    1/1 |     0/1 |       |',
    )
    expect(asked).toEqual(['Bearer sk-secret'])
    for (const name of namesIn(runIn(cwd)))
      expect(readFileSync(join(runIn(cwd), name), 'utf8')).not.toContain('sk-secret')
  })

  it('keeps within 80 columns with Chinese names, and escapes what would move the cursor in a note', async () => {
    const cwd = folderWith({})
    const baseUrl = await serve((_, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ choices: [{ index: 0, message: { content: '你好' }, finish_reason: 'stop' }] }))
    })
    const model = `通义千问大模型\u001b[31m的一个名字非常非常长的版本${'很'.repeat(20)}`

    const { code, stdout } = await inProcess(
      ['eval', '-m', model, '--base-url', baseUrl, '--no-stream', '-n', '3', '--repeat', '1'],
      { cwd },
    )

    expect(code).toBe(0)
    expect(stdout).not.toContain('\u001b')
    expect(stdout.replaceAll('\n', ' ')).toContain('does not report all tokens (通义千问大模型\\u001b[31m')
    const tooWide = stdout.split('\n').filter((line) => displayWidth(line) > 80 && !line.includes('通义'))
    expect(tooWide).toEqual([])
  })

  it('ends with one line and no folder where no server listens', async () => {
    const cwd = folderWith({})
    const baseUrl = `http://127.0.0.1:${CLOSED_PORT}/v1`

    const { code, stdout, stderr } = await inProcess(['eval', '-m', 'm', '--base-url', baseUrl], { cwd })

    const line = `callspec: ${baseUrl} refused the connection. Is the server running?\n`
    expect([code, stdout, stderr]).toEqual([2, '', line])
    expect(namesIn(cwd)).toEqual([])
  })

  it.each([
    [401, 'Does the server want a key? Set OPENAI_API_KEY.'],
    [403, 'Does the server want a key? Set OPENAI_API_KEY.'],
    [404, 'Is "m" the right model, and does the address end in /v1?'],
  ])('ends with one line after a few answers %i', async (status, hint) => {
    const cwd = folderWith({})
    let requests = 0
    const baseUrl = await serve((_, response) => {
      requests += 1
      response.writeHead(status, { 'content-type': 'application/json' }).end('{"error": {"message": "no"}}')
    })

    const { code, stdout, stderr } = await inProcess(['eval', '-m', 'm', '--base-url', baseUrl, '-j', '1'], { cwd })

    expect([code, stdout, stderr]).toEqual([
      2,
      '',
      `callspec: ${baseUrl} refuses every request (${status} no). ${hint}\n`,
    ])
    expect(requests).toBe(3)
    expect(namesIn(join(cwd, 'reports'))).toEqual([])
  })

  it('lists the models that there are where a server does not know the one asked for', async () => {
    const cwd = folderWith({})
    const names = ['a', 'b', 'c', 'd', '\u001b[31m', 'mm']
    const root = await answering({
      '/v1/models': { body: { data: names.map((id) => ({ id })) } },
      '/v1/chat/completions': { status: 404, body: { object: 'error', message: 'The model does not exist.' } },
    })
    const baseUrl = `${root}/v1`

    const { code, stderr } = await inProcess(['eval', '-m', 'm', '--base-url', baseUrl, '-j', '1'], { cwd })

    expect(code).toBe(2)
    expect(stderr).toBe(
      `callspec: ${baseUrl} refuses every request (404 The model does not exist). ` +
        'Is "m" the right model? Did you mean mm? There are "a", "b", "c", "d", "\\u001b[31m", …\n',
    )
  })

  it('ends with 3 when the server breaks, and keeps what happened', async () => {
    const cwd = folderWith({})
    const baseUrl = await serve((_, response) => {
      response.writeHead(500).end()
    })

    const { code, stdout, stderr } = await inProcess(
      ['eval', '-m', 'm', '--base-url', baseUrl, '--max-retries', '0', '--limit', '2', '--repeat', '1', '-f', 'react'],
      { cwd },
    )

    expect([code, stderr]).toEqual([
      3,
      `callspec: 2 of 2 episodes failed on the way to ${baseUrl}: 500 status code (no body). ` +
        'Is the server overloaded? More patience: maxRetries in the configuration.\n',
    ])
    expect(stdout).toContain('failed on the way 2,')
    expect(
      readFileSync(join(runIn(cwd), 'turns.jsonl'), 'utf8')
        .trimEnd()
        .split('\n'),
    ).toHaveLength(4)
  })

  it('does not let a broken stream print itself', async () => {
    const cwd = folderWith({})
    const baseUrl = await serve((_, response) => {
      response.setHeader('content-type', 'text/event-stream')
      response.end('data: {"\u001b[31mbroken\n\n')
    })

    const { code, stdout, stderr } = await inProcess(
      ['eval', '-m', 'm', '--base-url', baseUrl, '--max-retries', '0', '--limit', '1', '--repeat', '1', '-f', 'react'],
      { cwd, env: { CI: '1' } },
    )

    expect(code).toBe(3)
    expect(stderr).toContain('is not JSON')
    expect(stdout + stderr).not.toContain('\u001b')
  })

  it('says when the server was too slow, and how to wait longer', async () => {
    const cwd = folderWith({})
    const baseUrl = await serve(() => undefined)

    const { code, stderr } = await inProcess(
      [
        'eval',
        '-m',
        'm',
        '--base-url',
        baseUrl,
        '--max-retries',
        '0',
        '-n',
        '1',
        '--repeat',
        '1',
        '-f',
        'react',
        '--timeout',
        '0.1',
      ],
      { cwd },
    )

    expect(code).toBe(3)
    expect(stderr).toMatch(
      /: the server did not (answer|finish its answer) in time\. --timeout TIME gives it longer\.\n$/,
    )
  })

  it('says where no completions come from', async () => {
    const cwd = folderWith({})
    const baseUrl = await serve((_, response) => {
      response.setHeader('content-type', 'text/html')
      response.end('<html>Welcome</html>')
    })

    const { code, stderr } = await inProcess(
      ['eval', '-m', 'm', '--base-url', baseUrl, '--max-retries', '0', '-n', '1', '--repeat', '1', '-f', 'react'],
      { cwd },
    )

    expect(code).toBe(3)
    expect(stderr).toContain('Is it an OpenAI-compatible server, and does the address end in /v1?\n')
  })

  it('warns of a few failures, and compares all the same', async () => {
    const cwd = folderWith({})
    let requests = 0
    const baseUrl = await serve((_, response) => {
      requests += 1
      response.setHeader('content-type', 'application/json')
      if (requests === 3) response.writeHead(500)
      response.end(completion('done'))
    })

    const { code, stderr } = await inProcess(
      ['eval', '-m', 'm', '--base-url', baseUrl, '--max-retries', '0', '--no-stream', '--repeat', '1', '-f', 'react'],
      { cwd },
    )

    expect(code).toBe(0)
    expect(stderr).toMatch(/^callspec: warning: 1 of 42 episodes failed on the way to /)
  })

  it('repeats only what failed, at the server and with the key of today', async () => {
    const cwd = folderWith({ '.env': 'MY_KEY=sk-first-and-secret' })
    const asked: string[] = []
    const baseUrl = await serve((request, response) => {
      asked.push(request.headers.authorization ?? '')
      response.setHeader('content-type', 'application/json')
      if (asked.length === 2) response.writeHead(500)
      response.end(completion('done'))
    })
    const words = ['eval', '-m', 'm', '--base-url', baseUrl, '--max-retries', '0', '-j', '1', '-n', '3', '-f', 'react']
    await inProcess([...words, '--no-stream', '--repeat', '1', '--api-key-env', 'MY_KEY'], { cwd })

    const { code, stdout } = await inProcess(['eval', '--resume', '--retry-errors', '--api-key-env', 'MY_KEY'], {
      cwd,
      env: { MY_KEY: 'sk-second-and-secret' },
    })

    expect(code).toBe(0)
    expect(stdout).toContain('failed on the way 0')
    const [first, second] = ['Bearer sk-first-and-secret', 'Bearer sk-second-and-secret']
    expect(asked).toEqual([first, first, first, second])
    for (const name of namesIn(runIn(cwd))) expect(readFileSync(join(runIn(cwd), name), 'utf8')).not.toContain('secret')
  })

  it('doubts the key that was given, and quotes what the server says without obeying it', async () => {
    const cwd = folderWith({})
    const baseUrl = await serve((_, response) => {
      response.writeHead(401, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message: 'wrong \u001b[31mkey' } }))
    })

    const { code, stderr } = await inProcess(['eval', '-m', 'm', '--base-url', baseUrl], {
      cwd,
      env: { OPENAI_API_KEY: 'sk-wrong' },
    })

    expect([code, stderr]).toEqual([
      2,
      `callspec: ${baseUrl} refuses every request (401 wrong \\u001b[31mkey). Is OPENAI_API_KEY the right key?\n`,
    ])
  })

  it('keeps every reply so far after Ctrl-C and ends with 130', async () => {
    const cwd = folderWith({})
    let requests = 0
    const baseUrl = await serve((_, response) => {
      requests += 1
      if (requests > 5) {
        // By progress, not by a clock: five replies are there, the sixth never comes.
        child.kill('SIGINT')
        return
      }
      response.setHeader('content-type', 'application/json')
      response.end(completion('done'))
    })
    const child = spawn(
      process.execPath,
      [BINARY, 'eval', '-m', 'm', '--base-url', baseUrl, '--no-stream', '-j', '1', '--repeat', '1'],
      { cwd },
    )
    const stderr: Buffer[] = []
    child.stderr.on('data', (chunk: Buffer) => {
      stderr.push(chunk)
      // It waits for the sixth reply until the second signal.
      if (chunk.toString().includes('in flight')) child.kill('SIGINT')
    })

    const code = await new Promise<number | null>((settle) => child.on('close', settle))

    const lines = readFileSync(join(runIn(cwd), 'turns.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
    expect(code).toBe(130)
    expect(Buffer.concat(stderr).toString()).toMatch(
      /^callspec: stopping: .*\ncallspec: stopped\. Every reply so far is in (reports\/.+)\/turns\.jsonl; go on with callspec eval --resume \1 --max-concurrency 1\n$/,
    )
    expect(
      lines.map((line) => (JSON.parse(line) as { kind: string }).kind).filter((kind) => kind === 'turn'),
    ).toHaveLength(5)
  })

  it.each([
    [['--model', 'm'], '--model m needs a server: give --base-url URL or set OPENAI_BASE_URL'],
    [
      ['--base-url', 'http://127.0.0.1:1/v1'],
      "--base-url needs --model NAME: which of the server's models to ask. GET /models lists them.",
    ],
    [
      ['--model', 'm', '--base-url', 'nonsense'],
      '"nonsense" is not an http address. Give one such as http://127.0.0.1:8000/v1',
    ],
    [
      ['--model', 'm', '--base-url', 'ftp://x'],
      '"ftp://x" is not an http address. Give one such as http://127.0.0.1:8000/v1',
    ],
    [
      ['--model', 'm', '--base-url', 'http://a:b@127.0.0.1/v1'],
      'the address of the server holds a name or password. Put the key into OPENAI_API_KEY instead.',
    ],
    [['--model', ''], '--model was given an empty text. Name a model or leave it out.'],
    [
      ['--model', 'sim/faulti'],
      '--model "sim/faulti" is not a simulated model. Did you mean sim/faulty? Known: sim/perfect, sim/faulty, sim/perfect-noisy-ok, sim/hermes-7b-like, sim/react-small-zh, sim/thinker, sim/looper, sim/leaky-server, sim/flaky-infra, sim/bfcl-mix, sim/adversarial, and sim/oracle?fault=F03:0.1 and the like; others need --base-url URL.',
    ],
    [['--filter', '^Z'], 'no task is left to run: --filter "^Z". Ids look like S01, P06, T08.'],
    [
      ['--filter', '('],
      '--filter "(" is not a regular expression (Invalid regular expression: /(/u: Unterminated group)',
    ],
    [['--lang', 'en,fr'], '--lang "fr" is unknown. Known: en, zh.'],
    [
      ['--format', 'nous,hermes'],
      `--format "hermes" is unknown. Known: ${FORMAT_CHOICES.slice(0, 5).join(', ')} and ${FORMAT_CHOICES.length - 5} more; callspec formats lists them; or a file such as ./my-format.mjs.`,
    ],
    [
      ['-f', 'nous,pythonic'],
      '-f "pythonic" cannot be asked for: the format has no prompt of its own; it can only be read, such as by callspec score.',
    ],
    [['--limit', '0'], '--limit must be a whole number of at least 1, got "0"'],
    [['--formta', 'react'], 'unknown option --formta. Did you mean --format?'],
  ])('%j is misuse: %s', async (words, message) => {
    const { code, stdout, stderr } = await inProcess(['eval', ...words])

    expect([code, stdout, stderr]).toEqual([2, '', `callspec: ${message}\n`])
  })

  it('takes -p for one version, names --format instead, and shows it nowhere', async () => {
    const plan = ['eval', '-m', 'sim/perfect', '-n', '1', '--repeat', '1', '--dry-run']
    const old = await inProcessAsIs([...plan, '-p', 'fncall-nous'])
    const now = await inProcess([...plan, '-f', 'nous'])
    const help = await inProcess(['eval', '--help'])

    expect(old.stdout).toBe(now.stdout)
    expect([old.code, old.stderr]).toEqual([0, 'callspec: warning: --protocol is deprecated: write --format\n'])
    expect(now.stderr).toBe('')
    expect(help.stdout).not.toContain('--protocol')
  })

  it('says where a run folder cannot be', async () => {
    const cwd = folderWith({ file: '' })

    const { code, stderr } = await inProcess(['eval', '--limit', '1', '-m', 'sim/perfect', '--reports', 'file'], {
      cwd,
    })

    expect(code).toBe(2)
    expect(stderr).toMatch(
      /^callspec: file\/\S+ cannot be written \(.*file.*\)\. --reports DIR names another place\.\n$/,
    )
  })
})
