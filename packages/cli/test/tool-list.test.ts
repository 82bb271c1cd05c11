import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { listedTools } from '../src/tool-list.ts'
import { folderWith } from './helpers/folder.ts'

/** An MCP server over stdio that lists its tools on two pages, and says on stderr what it is asked for. */
const MCP_SERVER = `
import { createInterface } from 'node:readline'
const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const pages = {
  '': { tools: [{ name: 'read', description: 'Reads.', inputSchema: schema }], nextCursor: 'two' },
  two: { tools: [{ name: process.env.SECRET ?? 'write', inputSchema: { type: 'object' } }] },
}
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const info = { protocolVersion: params?.protocolVersion ?? '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } }
  const result = method === 'initialize' ? info : method === 'tools/list' ? pages[params?.cursor ?? ''] : undefined
  const answer = result === undefined ? { error: { code: -32601, message: 'no ' + method } } : { result }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n')
}
`

async function fromFile(text: string): Promise<unknown> {
  const folder = folderWith({ 'tools.json': text })
  try {
    return await listedTools({ tools: join(folder, 'tools.json'), mcp: null, timeoutMs: 5000 })
  } catch (error) {
    return error instanceof Error ? error.message.replace(folder, '') : error
  }
}

async function fromMcp(command: string, timeoutMs = 10_000): Promise<unknown> {
  try {
    return await listedTools({ tools: null, mcp: command, timeoutMs })
  } catch (error) {
    return error instanceof Error ? error.message : error
  }
}

describe('tools of a file', () => {
  const READ = { name: 'read', description: 'Reads.', parameters: { type: 'object' } }

  it.each([
    ['a request', { messages: [], tools: [{ type: 'function', function: READ }] }],
    ['a bare list', [READ]],
    [
      'the answer of an MCP server',
      {
        jsonrpc: '2.0',
        id: 1,
        result: { tools: [{ name: 'read', description: 'Reads.', inputSchema: { type: 'object' } }] },
      },
    ],
    ['a request to Anthropic', { tools: [{ name: 'read', description: 'Reads.', input_schema: { type: 'object' } }] }],
  ])('are read from %s', async (_, value) => {
    expect(await fromFile(JSON.stringify(value))).toEqual([READ])
  })

  it('keep a schema that refers to itself', async () => {
    const parameters = { type: 'object', properties: { next: { $ref: '#' } } }

    expect(await fromFile(JSON.stringify([{ name: 'a', parameters }]))).toEqual([
      { name: 'a', description: '', parameters },
    ])
  })

  it.each([
    ['{', /^\/tools\.json:1:2: is not JSON\. Give a list of tools, or an object with "tools"\.$/],
    ['[{"name": "a"},\n nope]', /^\/tools\.json:2:2: is not JSON\. /],
    ['[NaN]', /^\/tools\.json: is not JSON\. /],
    ['{"tools": []}', /^\/tools\.json: has no list of tools\./],
    ['[{"name": "a"}, {"title": "b"}]', /^\/tools\.json: tools\[1\] has no "name"\./],
    ['['.repeat(100_000), /^\/tools\.json: is nested more than 995 levels deep\.$/],
  ])('are refused in one line: %.20s', async (text, message) => {
    expect(await fromFile(text)).toMatch(message)
  })
})

describe('tools of an MCP server', { timeout: 30_000 }, () => {
  it('are listed from all pages, and the server does not see our variables', async () => {
    const folder = folderWith({ 'server.mjs': MCP_SERVER })
    process.env['SECRET'] = 'key'

    expect(await fromMcp(`node ${join(folder, 'server.mjs')}`)).toEqual([
      {
        name: 'read',
        description: 'Reads.',
        parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
      },
      { name: 'write', description: '', parameters: { type: 'object' } },
    ])
    delete process.env['SECRET']
  })

  it.each([
    [
      'echo broken >&2; exit 3',
      /^--mcp "echo broken >&2; exit 3": .* \(it wrote: broken\)\. Does the command start an MCP server\?$/,
    ],
    [
      `echo "Error: Cannot find module 'x'" >&2; echo Node.js >&2; exit 1`,
      /exit code 1 \(it wrote: Error: Cannot find module 'x'\)\. Does the command start an MCP server\?$/,
    ],
    ['no-such-program', /^--mcp "no-such-program": .*\. Does the command start an MCP server\?$/],
    [
      'sleep 60',
      /^--mcp "sleep 60": listed no tools within 1 s\. Run it once in a shell: it must be an MCP server on stdio that is installed already\.$/,
    ],
    ['yes', /^--mcp "yes": .*\. Does the command start an MCP server\?$/],
  ])('that does not answer is one line: %s', async (command, message) => {
    expect(await fromMcp(command, 1000)).toMatch(message)
  })

  it.each([
    [true, ['callspec: waits for --mcp "sleep 60" to list its tools, at most 2.5 s\n']],
    [false, []],
  ])('are waited for with a line where stderr is a terminal: %s', async (isTTY, lines) => {
    const own = Object.getOwnPropertyDescriptor(process.stderr, 'isTTY')
    Object.defineProperty(process.stderr, 'isTTY', { value: isTTY, configurable: true })
    const written: string[] = []
    const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0)
    try {
      await fromMcp('sleep 60', 2500)
    } finally {
      write.mockRestore()
      Object.defineProperty(process.stderr, 'isTTY', own ?? { value: undefined, configurable: true })
    }

    expect(written).toEqual(lines)
  })

  it('and those of a file are not taken together', async () => {
    await expect(listedTools({ tools: 'a.json', mcp: 'b', timeoutMs: 1 })).rejects.toThrow(
      '--tools and --mcp both name tools. Give one of them.',
    )
  })
})
