import { describe, expect, it } from 'vitest'
import { displayWidth } from '../../src/columns.ts'
import { folderWith } from '../helpers/folder.ts'
import { inProcess } from '../helpers/in-process.ts'
import { serve } from '../helpers/own-server.ts'
import { CLOSED_PORT } from '../helpers/servers.ts'

describe('callspec doctor', { timeout: 60_000 }, () => {
  it('says what is well, and what to change, and ends with 1 where a check fails', async () => {
    const { code, stdout, stderr } = await inProcess(['doctor', '-m', 'sim/faulty'], { cwd: folderWith({}) })

    const lines = stdout.trimEnd().split('\n')
    expect([code, stderr]).toEqual([1, ''])
    expect(lines[0]).toMatch(/^sim\/faulty at http:\/\/127\.0\.0\.1:\d+\/v1$/)
    expect(lines.filter((line) => displayWidth(line) > 80)).toEqual([])
    expect(stdout).toMatch(/^ok {7}usage {11}\d+ tokens in the prompt, \d+ in the reply$/m)
    expect(stdout).toMatch(/^fail {5}stop-words {6}.*\n(?: {25}.*\n)* {25}→ /m)
  })

  it('prints the findings as JSON', async () => {
    const { code, stdout } = await inProcess(['doctor', '-m', 'sim/perfect', '--json'], { cwd: folderWith({}) })

    const report = JSON.parse(stdout) as { findings: { check: string; verdict: string }[] }
    expect(code).toBe(0)
    expect(report).toMatchObject({ schema: 1, kind: 'doctor', model: 'sim/perfect', isHealthy: true })
    expect(report.findings).toContainEqual(expect.objectContaining({ check: 'stop-words', verdict: 'ok' }))
  })

  it('ends with 2 where no server listens, with any environment', async () => {
    const cwd = folderWith({
      '.env': `OPENAI_BASE_URL=http://127.0.0.1:${CLOSED_PORT}/v1\nOPENAI_API_KEY=sk-very-secret-key`,
    })

    const { code, stdout, stderr } = await inProcess(['doctor'], { cwd })

    expect(code).toBe(2)
    expect(stderr).toMatch(/^callspec: sends OPENAI_API_KEY to 127\.0\.0\.1:\d+ \(\.env\)\n$/)
    expect(stdout).toMatch(/^no model at http:\/\/127\.0\.0\.1:\d+\/v1\nfail {5}reachable /)
    expect(stdout).not.toContain('secret')
  })
})

const LIST = '{"data": [{"id": "m"}]}'

describe('a server with two models', { timeout: 60_000 }, () => {
  const server = (): Promise<string> =>
    serve((request, response) => {
      const isList = request.url === '/v1/models'
      response.writeHead(isList ? 200 : 404).end(isList ? '{"data": [{"id": "one"}, {"id": "two"}]}' : '{}')
    })

  it('has the second one named where none was, with --quick and without', async () => {
    const words = ['doctor', '--base-url', await server()]

    for (const more of [[], ['--quick']]) {
      const { stdout } = await inProcess([...words, ...more], { cwd: folderWith({}) })
      expect(stdout).toMatch(/^ok {7}model +"one" is the first one listed; --model takes\s+another:\s+"two"$/m)
    }
  })

  it('has none named by --quick where the model was', async () => {
    const words = ['doctor', '--base-url', await server(), '-m', 'one', '--quick']

    expect((await inProcess(words, { cwd: folderWith({}) })).stdout).not.toContain('two')
  })
})

describe('a model whose name is misspelt', { timeout: 60_000 }, () => {
  it('is answered by the doctor with the one of the list that was meant, with --quick and without', async () => {
    const url = await serve((request, response) => {
      const isList = request.url === '/v1/models'
      response.writeHead(isList ? 200 : 404).end(isList ? '{"data": [{"id": "qwen3-8b"}, {"id": "glm-4.6"}]}' : '{}')
    })
    const words = ['doctor', '--base-url', url, '-m', 'qwen3-b8']

    const whole = await inProcess(words, { cwd: folderWith({}) })
    const quick = await inProcess([...words, '--quick'], { cwd: folderWith({}) })

    for (const { stdout } of [whole, quick])
      expect(stdout).toMatch(/→ Did you mean qwen3-8b\? It is asked all the same\.$/m)
    expect(whole.stdout).toMatch(/→ Is the name of the model right, and does the address\s+end in \/v1\?$/m)
  })

  it.each([
    ['sim/oracl', 'Did you mean sim/oracle? Known: '],
    ['sim/oracle?falt=F03:0.1', 'Did you mean fault?'],
    ['sim/oracle?fault=drop_clse:0.1', 'Did you mean drop_close?'],
  ])('is answered with the word that was meant: %s', async (name, question) => {
    const { code, stderr } = await inProcess(['doctor', '-m', name], { cwd: folderWith({}) })

    expect(code).toBe(2)
    expect(stderr).toContain(question)
  })
})

/** Answers every chat with a sentence, and calls nothing. */
const SAYS: Parameters<typeof serve>[0] = (request, response) => {
  if (request.url === '/v1/models') return void response.end(LIST)
  request.resume()
  const message = { role: 'assistant', content: 'It is three hundred ninety one, as far as I know.' }
  const usage = { prompt_tokens: 9, completion_tokens: 12 }
  response.end(JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }], usage }))
}

describe('the report of the doctor', { timeout: 60_000 }, () => {
  it('prints unknown values after what matters, and ends with what is to fix', async () => {
    const url = await serve(SAYS)
    const words = ['doctor', '--base-url', url, '-m', 'nope']

    const whole = await inProcess(words, { cwd: folderWith({}) })
    const quick = await inProcess([...words, '--quick'], { cwd: folderWith({}) })

    expect([whole.code, quick.code]).toEqual([1, 1])
    for (const { stdout } of [whole, quick]) {
      const verdicts = [...stdout.matchAll(/^(ok|warn|fail|unknown) +\S/gm)].map(([, verdict]) => verdict)
      expect(verdicts.slice(verdicts.indexOf('unknown')).filter((verdict) => verdict !== 'unknown')).toEqual([])
    }
    expect(whole.stdout.trimEnd().split('\n').at(-1)).toBe('2 things to fix: model, stop-words')
    expect(quick.stdout.trimEnd().split('\n').at(-1)).toBe('2 things to fix: model, forced-call')
  })
})

it('asks a server that hangs for its models and one reply, whole or quick', { timeout: 60_000 }, async () => {
  const asked: (string | undefined)[] = []
  const url = await serve((request, response) => {
    request.resume()
    asked.push(request.url)
    if (request.url === '/v1/models') response.end(LIST)
  })
  const words = ['doctor', '--base-url', url, '--timeout', '1']

  const results = [await inProcess(words, { cwd: folderWith({}) })]
  results.push(await inProcess([...words, '--quick'], { cwd: folderWith({}) }))

  expect(asked).toEqual(['/v1/models', '/v1/chat/completions', '/v1/models', '/v1/chat/completions'])
  expect(results.map(({ code }) => code)).toEqual([2, 2])
  for (const { stdout } of results) expect(stdout).toContain('did not finish its answer in time')
})

describe('what the doctor ends with', { timeout: 60_000 }, () => {
  it.each([
    ['2 where the server lists no model', 2, () => [200, '{"data": []}']],
    ['2 where it takes no key', 2, (url) => (url === '/v1/models' ? [200, LIST] : [401, '{}'])],
    ['2 where it does not have the model', 2, (url) => (url === '/v1/models' ? [404, '{}'] : [404, '{}'])],
    ['1 where it answers with an error of its own', 1, (url) => (url === '/v1/models' ? [200, LIST] : [400, '{}'])],
  ] as readonly (readonly [string, number, (url: string) => readonly [number, string]])[])(
    'is %s, with --quick and without',
    async (_, expected, answer) => {
      const url = await serve((request, response) => {
        const [status, body] = answer(request.url ?? '')
        response.writeHead(status).end(body)
      })
      const words = ['doctor', '--base-url', url, '--json']

      const results = [await inProcess(words, { cwd: folderWith({}) })]
      results.push(await inProcess([...words, '--quick'], { cwd: folderWith({}) }))

      expect(results.map(({ code }) => code)).toEqual([expected, expected])
      for (const { stdout } of results) expect(JSON.parse(stdout)).toMatchObject({ isAsked: expected !== 2 })
    },
  )

  it('is of the key that an evaluation would send, without --quick', async () => {
    const keys = new Set<string | undefined>()
    const url = await serve((request, response) => {
      keys.add(request.headers.authorization)
      response.writeHead(401).end('{}')
    })

    await inProcess(['doctor', '--base-url', url, '-m', 'm'], { cwd: folderWith({}), env: { OPENAI_API_KEY: 'sk-1' } })

    expect([...keys]).toEqual(['Bearer sk-1'])
  })

  it('sends no key after a redirect', async () => {
    const keys: (string | undefined)[] = []
    const other = await serve((request, response) => {
      keys.push(request.headers.authorization)
      response.end(LIST)
    })
    const url = await serve((request, response) => {
      response.writeHead(307, { location: other.replace('/v1', request.url ?? '') }).end()
    })
    const words = ['doctor', '--base-url', url, '-m', 'm', '--api-key-env', 'OWN_KEY']

    const results = [await inProcess(words, { cwd: folderWith({}), env: { OWN_KEY: 'sk-1' } })]
    results.push(await inProcess([...words, '--quick'], { cwd: folderWith({}), env: { OWN_KEY: 'sk-1' } }))

    expect([results.map(({ code }) => code), keys]).toEqual([[2, 2], []])
  })
})

describe('callspec doctor --quick', { timeout: 60_000 }, () => {
  it('prints a table of the ten scripts, and ends with 0 where nothing fails', async () => {
    const { code, stdout, stderr } = await inProcess(['doctor', '--quick', '-m', 'sim/perfect'], {
      cwd: folderWith({}),
    })

    const rows = stdout.split('\n').filter((line) => /^\| [a-z-]+ +\| ok +\| ok +\|$/.test(line))
    expect([code, stderr, rows.length]).toEqual([0, '', 10])
  })

  it('says what fails and what to change, and ends with 1', async () => {
    const { code, stdout } = await inProcess(['doctor', '--quick', '-m', 'sim/oracle?transport=arguments_object'], {
      cwd: folderWith({}),
    })

    expect(code).toBe(1)
    expect(stdout).toMatch(/^fail {5}one-call \(whole\) +the arguments are.*\n(?: {25,}.*\n)* {25,}→ /m)
    expect(stdout.split('\n').filter((line) => displayWidth(line) > 80)).toEqual([])
  })

  it('prints the same as JSON', async () => {
    const { code, stdout } = await inProcess(['doctor', '--quick', '-m', 'sim/perfect', '--json'], {
      cwd: folderWith({}),
    })

    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ kind: 'doctor-quick', isHealthy: true })])
  })

  it('sends no key but that of the variable which was named', async () => {
    const keys: (string | undefined)[] = []
    const url = await serve((request, response) => {
      keys.push(request.headers.authorization)
      response.writeHead(401).end('{}')
    })
    const env = { OPENAI_API_KEY: 'sk-of-another', OWN_KEY: 'sk-of-this-one' }
    const words = ['doctor', '--quick', '--base-url', url, '-m', 'm']

    const unnamed = await inProcess(words, { cwd: folderWith({}), env })
    const named = await inProcess([...words, '--api-key-env', 'OWN_KEY'], { cwd: folderWith({}), env })

    expect([unnamed.code, named.code, keys]).toEqual([2, 2, ['Bearer EMPTY', 'Bearer sk-of-this-one']])
    expect(unnamed.stderr).toContain('--api-key-env OPENAI_API_KEY')
  })

  it.each([
    ['--api-key-env', 'OWN_KEY'],
    ['--header', 'api-key: ${OWN_KEY}'],
  ])('lets no key go over plain http to another machine: %s %s', async (option, value) => {
    const words = ['doctor', '--quick', '--base-url', 'http://models.invalid/v1', '-m', 'm', option, value]

    const refused = await inProcess(words, { cwd: folderWith({}), env: { OWN_KEY: 'sk-of-this-one' } })
    const told = await inProcess([...words, '--key-over-http'], {
      cwd: folderWith({}),
      env: { OWN_KEY: 'sk-of-this-one' },
    })

    expect([refused.code, told.code]).toEqual([2, 2])
    expect(refused.stderr).toBe(
      'callspec: the key would go to http://models.invalid/v1 in the clear. Give an https address, or add --key-over-http.\n',
    )
  })

  it('names a variable that is not set', async () => {
    const words = ['doctor', '--quick', '--base-url', 'http://127.0.0.1:1/v1', '--api-key-env', 'OWN_KEY']

    const { code, stderr } = await inProcess(words, { cwd: folderWith({}) })

    expect([code, stderr]).toEqual([2, 'callspec: the variable OWN_KEY, which should contain the key, is not set.\n'])
  })
})
