import type { ServerResponse } from 'node:http'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Schema } from '@cfworker/json-schema'
import { Validator } from '@cfworker/json-schema'
import { PLAIN_PROBE, SCHEMA_PROBES } from '@callspec/eval/doctor'
import { describe, expect, it } from 'vitest'
import { listening } from './helpers/answering.ts'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'

const PROBES = [PLAIN_PROBE, ...SCHEMA_PROBES]

interface Asked {
  readonly messages: readonly { readonly content: string }[]
  readonly tools?: readonly { readonly function: { readonly name: string } }[]
  readonly tool_choice?: string
}

/** What a server does with one probe; `silent` sends no answer. */
type Behaviour =
  | 'accepts'
  | 'silent'
  | 'breaks off'
  | { readonly status: number }
  | { readonly args: string; readonly finish?: string }

/** A server that answers with fitting arguments, except where `behave` says otherwise. */
async function serverThat(
  behave: (id: string, choice: string) => Behaviour,
): Promise<{ readonly url: string; readonly asked: Asked[] }> {
  const asked: Asked[] = []
  const handle = (body: string, response: ServerResponse): void => {
    const request = JSON.parse(body) as Asked
    if (request.tools !== undefined) asked.push(request)
    const probe = PROBES.find(({ question }) => question === request.messages.at(-1)?.content)
    const done = behave(probe?.id ?? '', request.tool_choice ?? 'auto')
    if (done === 'silent') return
    if (done === 'breaks off') return void response.destroy()
    if (typeof done === 'object' && 'status' in done) {
      response.writeHead(done.status, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify({ error: { message: 'no such schema' } }))
    }
    const args = done === 'accepts' ? JSON.stringify(probe?.fitting ?? {}) : done.args
    const finish = (done === 'accepts' ? undefined : done.finish) ?? 'tool_calls'
    const call = { id: 'a', type: 'function', function: { name: request.tools?.[0]?.function.name, arguments: args } }
    const message = { role: 'assistant', content: null, tool_calls: [call] }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ id: 'x', model: 'm', choices: [{ index: 0, message, finish_reason: finish }] }))
  }
  const url = await listening((request, response) => {
    if (request.url === '/v1/models') return void response.end('{"data":[{"id":"m"}]}')
    if (request.url !== '/v1/chat/completions') {
      response.writeHead(404)
      return void response.end()
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => handle(Buffer.concat(chunks).toString(), response))
  })
  return { url: `${url}/v1`, asked }
}

interface Row {
  readonly id: string
  readonly template: { readonly verdict: string; readonly evidence: string } | null
  readonly server: { readonly verdict: string; readonly evidence: string } | null
  readonly forced: { readonly verdict: string; readonly evidence: string } | null
}

const SHAPE = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../eval/schemas/doctor-schemas.schema.json'), 'utf8'),
) as Schema

/** The rows of the JSON, which fits its schema. */
async function rowsOf(
  words: readonly string[],
): Promise<{ readonly code: number | null; readonly rows: ReadonlyMap<string, Row> }> {
  const { code, stdout, stderr } = await inProcess(['doctor', '--schemas', '--json', ...words])
  expect(stdout, stderr).not.toBe('')
  const report = JSON.parse(stdout) as { readonly rows: readonly Row[] }
  expect(new Validator(SHAPE, '2020-12').validate(report).errors).toEqual([])
  return { code, rows: new Map(report.rows.map((row) => [row.id, row])) }
}

const KINDS: Readonly<Record<string, (choice: string) => Behaviour>> = {
  anyOf: () => ({ status: 400 }),
  pattern: () => 'silent',
  $ref: () => 'breaks off',
  format: () => ({ status: 500 }),
  const: (choice) => (choice === 'required' ? { status: 400 } : 'accepts'),
  minLength: (choice) => (choice === 'required' ? 'silent' : 'accepts'),
  maxLength: () => ({ args: '{"value": "aaaaaaaaaaaaaaaaa', finish: 'length' }),
  'enum of texts': () => ({ args: '{"value": "kelvin"}' }),
  minimum: () => ({ args: '{"value": 3' }),
  'no parameters': () => ({ args: '' }),
}

describe('callspec doctor --schemas', { timeout: 60_000 }, () => {
  it('tells servers apart that accept, refuse, hang, ignore and loop', async () => {
    const { url } = await serverThat((id, choice) => KINDS[id]?.(choice) ?? 'accepts')

    const { code, rows } = await rowsOf(['--base-url', url, '--timeout', '1'])

    const verdicts = [...rows.values()].map(({ id, server, forced }) => [id, server?.verdict, forced?.verdict])
    expect(code).toBe(1)
    expect(verdicts.filter(([, server, forced]) => server !== 'accepted' || forced !== 'obeyed')).toEqual([
      ['$ref', 'failed', undefined],
      ['anyOf', 'refused', undefined],
      ['enum of texts', 'accepted', 'ignored'],
      ['const', 'accepted', 'refused'],
      ['pattern', 'hangs', undefined],
      ['minLength', 'accepted', 'hangs'],
      ['maxLength', 'accepted', 'looping'],
      ['format', 'failed', undefined],
      ['minimum', 'accepted', 'ignored'],
    ])
    expect(verdicts).toHaveLength(PROBES.length)
    expect(rows.get('enum of texts')?.forced?.evidence).toBe(
      'arguments.value is not one of ["celsius","fahrenheit"]: {"value": "kelvin"}',
    )
  })

  it('obeys by the arguments alone: every fitting call fits, and the question asks for another', async () => {
    const { url } = await serverThat((id) =>
      id === PLAIN_PROBE.id ? 'accepts' : { args: '{"value": {"other": [[]]}, "loud": true, "größe_大小": "seven"}' },
    )

    const { rows } = await rowsOf(['--base-url', url])

    const obeyed = [...rows.values()].filter(({ forced }) => forced?.verdict === 'obeyed').map(({ id }) => id)
    expect(obeyed).toEqual([PLAIN_PROBE.id])
  })

  it('sends nothing more once a server has no answer to the plain tool either', async () => {
    let isDead = false
    const { url, asked } = await serverThat((id) => {
      isDead ||= id === '$ref'
      return isDead ? 'silent' : 'accepts'
    })

    const { code, rows } = await rowsOf(['--base-url', url, '--timeout', '1'])

    expect(code).toBe(1)
    expect(rows.get('$ref')?.server?.verdict).toBe('hangs')
    expect(rows.get('descriptions')?.server).toEqual({
      verdict: 'unknown',
      evidence: 'not asked: the server hangs since then',
    })
    const before = PROBES.findIndex(({ id }) => id === '$ref')
    expect(asked).toHaveLength(2 * before + 2)
  })

  it('ends with 2 for a server that takes no tools', async () => {
    const { url } = await serverThat(() => ({ status: 400 }))

    const { code, rows } = await rowsOf(['--base-url', url])

    expect(code).toBe(2)
    expect(rows.get('plain')?.server?.verdict).toBe('refused')
    expect(rows.get('$ref')?.server?.evidence).toBe('not asked: the plain tool was not accepted')
  })

  it('fits 80 columns of a terminal, with what to change', async () => {
    const { url } = await serverThat((id, choice) => KINDS[id]?.(choice) ?? 'accepts')

    const { stdout } = await inProcess(['doctor', '--schemas', '--base-url', url, '--timeout', '1'], {
      isTerminal: true,
    })

    // eslint-disable-next-line no-control-regex
    const lines = stdout.replaceAll(/\u001b\[\d+m/g, '').split('\n')
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    expect(stdout).toContain('6 things to fix: $ref (server), anyOf (server), const (forced call), pattern')
  })
})

const DUMPS =
  "{% for m in messages %}{{ m['content'] }}{% endfor %}{% for t in tools or [] %}{{ t | tojson }}{% endfor %}"

describe('callspec doctor --schemas over a template alone', () => {
  const fates = async (template: string): Promise<Readonly<Record<string, readonly string[]>>> => {
    const folder = folderWith({ 'chat_template.jinja': template })
    const { rows } = await rowsOf(['--template', join(folder, 'chat_template.jinja')])
    expect([...rows.values()].every(({ server, forced }) => server === null && forced === null)).toBe(true)
    const by: Record<string, string[]> = {}
    for (const { id, template: answer } of rows.values()) (by[answer?.verdict ?? ''] ??= []).push(id)
    return by
  }

  it('finds everything rendered by a template that prints JSON', async () => {
    expect(Object.keys(await fates(DUMPS))).toEqual(['rendered'])
  })

  it('finds what a template prints as Python does', async () => {
    const found = await fates(DUMPS.replace('t | tojson', 't'))

    expect(found['changed']).toEqual(['nullable', 'additionalProperties: false', 'descriptions'])
  })

  it('finds what a template drops, and what it refuses', async () => {
    const found = await fates(
      '{% for t in tools or [] %}{{ t.function.name }}{{ t.function.description }}{% for n, p in t.function.parameters.properties.items() %}{{ n }}: {{ p.type | upper }} {{ p.description }}{{ p.enum }}{% endfor %}{% endfor %}',
    )

    expect(found['refused']).toEqual(['no parameters'])
    expect(found['rendered']).toEqual(
      expect.arrayContaining([
        'enum of texts',
        'enum of numbers',
        'names not ASCII',
        'names with dots',
        'descriptions',
      ]),
    )
    expect(found['dropped']).toEqual(expect.arrayContaining(['$ref', '$defs', 'pattern', 'nested object', 'default']))
    expect(found['changed']).toEqual(['list of types'])
  })

  it('finds a template that shows no tools', async () => {
    expect(Object.keys(await fates("{% for m in messages %}{{ m['content'] }}{% endfor %}"))).toEqual(['dropped'])
  })
})
