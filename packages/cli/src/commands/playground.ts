import { readFile } from 'node:fs/promises'
import { linkWithTools, PLAYGROUND_PAGE, servedPage } from '@callspec/playground'
import type { Command, Invocation, ExitCode } from '../command.ts'
import { EXIT } from '../command.ts'
import { interrupted } from '../environment.ts'
import { LISTENS_ON, listenLocally } from '../local-server.ts'
import type { LocalServer } from '../local-server.ts'
import { UsageError, unusablePort } from '../usage-error.ts'
import { listedTools, TOOL_LIST_OPTIONS } from '../tool-list.ts'
import { writeFileAtomically } from '../write-file.ts'
import { createServer } from 'node:http'
import { localRequestFault } from '@callspec/eval/guards'

export const playgroundCommand: Command = {
  name: 'playground',
  usage: ["playground [--port N] [--tools FILE | --mcp 'COMMAND']", 'playground -o FILE'],
  about:
    "Serves a page on 127.0.0.1. Paste a model's reply: its format, calls, texts, thoughts and issues are shown on the text, as every " +
    'version reads it, and as a stream that can be stopped anywhere. Paste tools and a conversation: the exact prompt of any format. ' +
    'Paste a chat template: rendered and linted. Drop or name a model: what callspec inspect says. Pasted texts and files stay in the ' +
    'browser, and a link contains the texts after its #. The served page connects only after its button is pressed, from the browser, to ' +
    'the addresses that it shows; the file of -o connects to nothing and takes files only.',
  options: {
    port: { value: 'N', help: 'Port to listen on. Default: any free one, which is printed.' },
    output: {
      short: 'o',
      value: 'FILE',
      help: 'Write the page to FILE, one HTML file for any browser that connects to nothing, and serve nothing.',
    },
    ...TOOL_LIST_OPTIONS,
  },
  examples: [
    'callspec playground',
    'callspec playground --port 8090',
    'callspec playground -o playground.html',
    'callspec playground --tools tools.json',
  ],
  notes: [
    'With --tools or --mcp the printed address has the tools after its #.',
    'Exit codes: 0 after Ctrl-C, or when the page is written; 2 the port is in use, or misuse.',
  ],
  run: servePlayground,
}

async function servePlayground({ options, output }: Invocation): Promise<ExitCode> {
  const port = options.integer('port', { min: 0, max: 65_535 })
  const target = options.text('output')
  if (target !== null && port !== null)
    throw new UsageError('--output and --port exclude each other: the page is written or served.')
  const hash = await toolsHash(options)
  const html = await readFile(PLAYGROUND_PAGE, 'utf8')
  if (target !== null) {
    await writeFileAtomically(target, html)
    if (hash !== '') output.line(`${target}${hash}`)
    return EXIT.ok
  }
  const server = await servePage(servedPage(html), port ?? 0).catch((error: unknown) => {
    throw unusablePort(port ?? 0, error)
  })
  output.line(`${server.url}${hash}`)
  output.note('callspec: serving the playground. Ctrl-C ends it.')
  await interrupted()
  await server.close()
  return EXIT.ok
}

/** Browsers cut longer addresses. */
const LONGEST_HASH = 1_000_000

async function toolsHash(options: Invocation['options']): Promise<string> {
  const tools = await listedTools({ tools: options.text('tools'), mcp: options.text('mcp') })
  const hash = tools === null ? '' : await linkWithTools(tools)
  if (hash.length <= LONGEST_HASH) return hash
  throw new UsageError(
    `${tools?.length ?? 0} tools are too many for an address (${hash.length} characters). Give a part of them.`,
  )
}

/**
 * Serves only this page, on 127.0.0.1.
 *
 * @param port 0 for any free port
 * @throws the system's error if the port is in use
 */
export async function servePage(html: string, port: number): Promise<LocalServer> {
  const body = Buffer.from(html)
  const server = createServer((request, response) => {
    const { method = '', headers } = request
    const fault = localRequestFault({ method, host: headers.host, origin: headers.origin }, LISTENS_ON)
    if (fault !== null) {
      response.writeHead(fault.status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
      response.end(`callspec playground: ${fault.reason}\n`)
      return
    }
    const isRead = method === 'GET' || method === 'HEAD'
    const isPage = isRead && request.url?.split('?')[0] === '/'
    const answer = isPage ? body : Buffer.from(isRead ? 'There is one page here: /\n' : 'This page is only read.\n')
    response.writeHead(isPage ? 200 : isRead ? 404 : 405, {
      'content-type': isPage ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8',
      'content-length': answer.length,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      ...(isRead ? {} : { allow: 'GET, HEAD' }),
    })
    response.end(method === 'HEAD' ? undefined : answer)
  })
  return listenLocally(server, port)
}
