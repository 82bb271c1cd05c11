import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { PLAYGROUND_PAGE, servedPage } from '@callspec/playground'
import { describe, expect, it, onTestFinished } from 'vitest'
import { servePage } from '../src/commands/playground.ts'
import { BINARY } from './helpers/binary.ts'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'

describe('callspec playground', () => {
  it('prints an address on 127.0.0.1 where the page is, and ends with 0 at Ctrl-C', async () => {
    const child = spawn(process.execPath, [BINARY, 'playground'])
    onTestFinished(() => void child.kill('SIGKILL'))
    const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]

    expect(line).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\n$/)
    const answer = await fetch(line.trim())
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await answer.text()).toBe(servedPage(readFileSync(PLAYGROUND_PAGE, 'utf8')))

    child.kill('SIGINT')
    const [code] = (await once(child, 'close')) as [number]
    expect(code).toBe(0)
  })

  it('writes the page to a file instead', async () => {
    const folder = folderWith({})

    const { code, stdout, stderr } = await inProcess(['playground', '-o', 'page.html'], { cwd: folder })

    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(readFileSync(join(folder, 'page.html'), 'utf8')).toBe(readFileSync(PLAYGROUND_PAGE, 'utf8'))
  })

  it('puts the tools of a file into the address', async () => {
    const folder = folderWith({})
    const tools = [{ name: 'read', inputSchema: { type: 'object', properties: { größe: { type: 'integer' } } } }]

    const { code, stdout } = await inProcess(['playground', '-o', 'page.html', '--tools', '-'], {
      cwd: folder,
      input: JSON.stringify({ tools }),
    })

    expect(code).toBe(0)
    const [, packed = ''] = stdout.trim().split('page.html#1=')
    const state = JSON.parse(inflateRawSync(Buffer.from(packed, 'base64url')).toString()) as Record<string, string>
    expect(state['panel']).toBe('prompt')
    expect(JSON.parse(state['tools'] ?? '')).toEqual([
      { name: 'read', description: '', parameters: { type: 'object', properties: { größe: { type: 'integer' } } } },
    ])
  })

  it('says that a port is taken, and that a page is written or served', async () => {
    const server = await servePage('', 0)
    onTestFinished(() => server.close())
    const port = new URL(server.url).port

    expect(await inProcess(['playground', '--port', port])).toMatchObject({
      code: 2,
      stderr: `callspec: port ${port} is taken. Name another one with --port, or leave it out.\n`,
    })
    expect(await inProcess(['playground', '--port', '0', '-o', 'x.html'])).toMatchObject({
      code: 2,
      stderr: 'callspec: --output and --port exclude each other: the page is written or served.\n',
    })
  })

  it('serves it to this machine alone, not to a name that was made to resolve to it', async () => {
    const server = await servePage('<!doctype html>', 0)
    onTestFinished(() => server.close())
    const statusOf = (host: string): Promise<number | undefined> =>
      new Promise((resolve) => {
        request(server.url, { headers: { host } }, (response) => resolve(response.resume().statusCode)).end()
      })

    expect([await statusOf('evil.example'), await statusOf('localhost'), await statusOf('[::1]:1')]).toEqual([
      421, 200, 200,
    ])
  })

  it('serves one page, to be read', async () => {
    const server = await servePage('<!doctype html>', 0)
    onTestFinished(() => server.close())
    const asked = async (path: string, method: string): Promise<readonly [number, string]> => {
      const answer = await fetch(new URL(path, server.url), { method })
      return [answer.status, await answer.text()]
    }

    expect(await asked('/?x', 'GET')).toEqual([200, '<!doctype html>'])
    expect(await asked('/', 'HEAD')).toEqual([200, ''])
    expect(await asked('/../package.json', 'GET')).toEqual([404, 'There is one page here: /\n'])
    expect(await asked('/', 'POST')).toEqual([405, 'This page is only read.\n'])
  })
})
