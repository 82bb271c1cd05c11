import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { dumps, loads } from '@callspec/python'
import type { PyValue } from '@callspec/python'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'

import type { Case } from '../src/cases/case.ts'
import {
  findCaseFiles,
  oneShotImplementation,
  openSession,
  readCases,
  reasonOf,
  runSuite,
  smokeTest,
} from '../src/index.ts'
import type { Implementation } from '../src/index.ts'

const ADAPTERS = resolve(import.meta.dirname, '../adapters')
const FIXTURES = resolve(import.meta.dirname, '../../../fixtures')
const hasPython = spawnSync('python3', ['--version']).status === 0
const hasJinja = spawnSync('python3', ['-c', 'import jinja2']).status === 0

const open: Implementation[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close?.()
})

async function session(command: string): Promise<Implementation> {
  const opened = await openSession(command, { timeLimit: 10_000, version: '1' })
  open.push(opened)
  return opened
}

/** The basic cases about nous that the implementation claims, by id, with their verdicts. */
async function outcomes(implementation: Implementation): Promise<Record<string, string>> {
  await smokeTest(implementation)
  const files = await findCaseFiles([`${FIXTURES}/nous/*/basic.json`])
  const found: Record<string, string> = {}
  for await (const { case: item, verdict } of runSuite(strict(readCases(files)), implementation, { jobs: 4 })) {
    if (verdict.kind !== 'skipped') found[item.id] = reasonOf(verdict) ?? 'passed'
  }
  return found
}

async function* strict(cases: AsyncIterable<Case>): AsyncGenerator<Case> {
  for await (const item of cases) if (item.profile === 'strict') yield item
}

function failing(found: Record<string, string>): readonly string[] {
  expect(Object.keys(found).length).toBeGreaterThanOrEqual(5)
  return Object.keys(found).filter((id) => found[id] !== 'passed')
}

function valueOf(answer: Awaited<ReturnType<Implementation['answer']>>): PyValue {
  return answer.kind === 'returned' ? answer.value : JSON.stringify(answer)
}

/** The interface of the package, with a reader that gives a number the type of its schema. */
const PARSER_STAND_IN = `
  const callOf = (text, params) => {
    const [{ name, schema }] = params.providerOptions.toolCallMiddleware.originalTools
    const isNumber = JSON.parse(schema).properties?.x?.type === 'number'
    return { type: 'tool-call', toolCallId: '1', toolName: name, input: JSON.stringify({ x: isNumber ? Number(text) : text }) }
  }
  export const qwen3CoderProtocol = () => ({})
  export const originalToolsSchema = {
    encode: (tools) => tools.map(({ name, inputSchema }) => ({ name, schema: JSON.stringify(inputSchema) })),
  }
  export const wrapGenerate = async ({ doGenerate, params }) => {
    const { content } = await doGenerate()
    return { content: content.map(({ text }) => callOf(text, params)) }
  }
  export const wrapStream = async ({ doStream, params }) => {
    const { stream } = await doStream()
    const read = { transform: (part, out) => part.type === 'text-delta' && out.enqueue(callOf(part.delta, params)) }
    return { stream: stream.pipeThrough(new TransformStream(read)) }
  }
`

describe('the adapters', () => {
  it.skipIf(!hasPython)('python-naive passes the basic cases, whole and streamed (needs python3)', async () => {
    const found = await outcomes(await session(`python3 '${ADAPTERS}/python-naive/naive_parser.py'`))

    expect(failing(found)).toEqual([])
    expect(Object.keys(found)).toContain('nous/stream/basic#a marker cut in two')
  })

  it('node-example passes the basic cases, and streams deltas', async () => {
    const found = await outcomes(await session(`node '${ADAPTERS}/node-example/example-parser.mjs'`))

    expect(failing(found)).toEqual([])
    expect(Object.keys(found)).toContain('nous/stream/basic#a marker cut in two')
  })

  it('shell-one-shot reads a single call', async () => {
    const supports = [{ operations: ['parse'], formats: ['nous'] }]
    const found = await outcomes(
      oneShotImplementation(`sh '${ADAPTERS}/shell-one-shot/parse.sh'`, { timeLimit: 10_000, supports }),
    )

    expect(failing(found)).toEqual(['nous/parse/basic#two calls in order'])
  })

  it.each([
    ['ai-sdk', '@ai-sdk-tool/parser@4'],
    ['langchain', '@langchain/classic@1 @langchain/core@1'],
    ['llamaindex', '--ignore-scripts llamaindex@0.12'],
  ])('%s says how to install the package', async (name, packages) => {
    const command = `node '${ADAPTERS}/${name}/adapter.mjs' /nowhere`

    await expect(session(command)).rejects.toThrow(`Run: npm install --prefix FOLDER ${packages}`)
  })

  it('ai-sdk asks a built package by its own folder, through the middleware, with the schemas of both kinds of tools', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'callspec-parser-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    mkdirSync(join(folder, 'dist'))
    writeFileSync(join(folder, 'package.json'), '{"name": "@ai-sdk-tool/parser", "version": "5.0.0", "type": "module"}')
    writeFileSync(join(folder, 'dist/index.js'), PARSER_STAND_IN)
    const opened = await session(`node '${ADAPTERS}/ai-sdk/adapter.mjs' '${folder}'`)
    const schema = '{"type": "object", "properties": {"x": {"type": "number"}}}'

    expect(opened.about).toMatchObject({ version: '5.0.0', supports: [{ formats: ['qwen3-coder', 'qwen3.5'] }] })
    for (const tool of [
      `{"name": "put", "parameters": ${schema}}`,
      `{"type": "function", "function": {"name": "put", "parameters": ${schema}}}`,
    ]) {
      const tools = loads(`[${tool}]`)
      const asked = { format: 'qwen3-coder', profile: 'strict', where: 'here', id: 'a' }
      const whole = { ...asked, op: 'parse', input: new Map([['text', '5'] as const, ['tools', tools] as const]) }
      const pieces = { ...asked, op: 'stream', input: new Map([['chunks', ['5']] as const, ['tools', tools] as const]) }
      expect(dumps(valueOf(await opened.answer(whole)))).toContain('{"x":5}'.replaceAll('"', '\\"'))
      expect(dumps(valueOf(await opened.answer(pieces)))).toContain('{"x":5}'.replaceAll('"', '\\"'))
    }
  })

  it('ollama shows the prompt of a server that renders, and skips one that answers instead', async () => {
    const asked: unknown[] = []
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => {
        response.setHeader('content-type', 'application/json')
        if (request.url === '/api/version') return response.end('{"version": "0.33.2"}')
        asked.push(JSON.parse(body))
        const rendered = { _debug_info: { rendered_template: '<|im_start|>user\nHi<|im_end|>\n' } }
        return response.end(JSON.stringify(asked.length === 1 ? rendered : { message: { content: 'Hello.' } }))
      })
    })
    await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const opened = await session(`node '${ADAPTERS}/ollama/adapter.mjs' http://127.0.0.1:${port} m`)
    const messages = loads(
      '[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "", "function_call": {"name": "f", "arguments": "{\\"a\\": 1}"}}, {"role": "function", "name": "f", "content": "2"}]',
    )
    const question = {
      id: 'a',
      op: 'render',
      format: 'nous',
      profile: 'strict',
      input: new Map([
        ['messages', messages],
        ['tools', loads('[{"type": "function", "function": {"name": "f"}}]')],
      ]),
    }

    expect(opened.about).toMatchObject({ name: 'Ollama m', version: '0.33.2' })
    expect(await opened.answer(question)).toEqual({
      kind: 'returned',
      value: new Map([['text', '<|im_start|>user\nHi<|im_end|>\n']]),
      raw: expect.stringContaining('"seq":1') as unknown,
    })
    expect(asked[0]).toMatchObject({
      _debug_render_only: true,
      tools: [{ type: 'function', function: { name: 'f' } }],
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: { a: 1 } } }] },
        { role: 'tool', tool_name: 'f', content: '2' },
      ],
    })
    expect(await opened.answer(question)).toMatchObject({ kind: 'skipped' })
  })

  it('ollama says what is no Ollama server', async () => {
    await expect(session(`node '${ADAPTERS}/ollama/adapter.mjs' http://127.0.0.1:1 m`)).rejects.toThrow(
      'http://127.0.0.1:1: is no Ollama server',
    )
  })

  it.skipIf(!hasPython)('qwen-agent says what is no checkout (needs python3)', async () => {
    const command = `python3 '${ADAPTERS}/qwen-agent/qwen_agent_adapter.py' --checkout /nowhere`

    await expect(session(command)).rejects.toThrow('/nowhere: there is no folder "qwen_agent" in it.')
  })
})

describe.skipIf(!hasJinja)('the adapter of chat templates (needs jinja2)', () => {
  it.each([
    [null, 'No such file'],
    ['{% for %}', 'xpected'],
    [new Uint8Array([255]), "can't decode byte 0xff"],
  ])('says in one line what is wrong with the template %j', (template, message) => {
    const folder = mkdtempSync(join(tmpdir(), 'callspec-template-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const path = join(folder, 'chat.jinja')
    if (template !== null) writeFileSync(path, template)

    const { status, stderr } = spawnSync('python3', [
      ...[resolve(ADAPTERS, 'chat-template/chat_template.py'), '--template', path],
    ])

    const [line, ...rest] = String(stderr).trimEnd().split('\n')
    expect([status, line?.startsWith(`${path}: is no chat template: `), rest]).toEqual([1, true, []])
    expect(line).toContain(message)
  })
})
