import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A site of models on 127.0.0.1, and what was asked of it. */
export interface ModelHub {
  /** Without a last slash. */
  readonly url: string
  /** `PATH` or `PATH bytes=0-9`, in the order of arrival. */
  readonly asked: readonly string[]
  readonly headers: readonly IncomingMessage['headers'][]
}

interface HubLook {
  /** Whether parts of files can be asked for. Default: yes. */
  readonly knowsRanges?: boolean
  /** Answers instead of a file. */
  readonly answer?: (request: IncomingMessage, response: ServerResponse) => boolean
}

/** Serves files by their whole path, as `/owner/name/resolve/main/config.json`, to pages of any origin; gone after the test. */
export async function modelHub(
  files: Readonly<Record<string, string | Uint8Array>>,
  { knowsRanges = true, answer = () => false }: HubLook = {},
): Promise<ModelHub> {
  const asked: string[] = []
  const headers: IncomingMessage['headers'][] = []
  const server = createServer((request, response) => {
    const { url = '', headers: given, method } = request
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-headers', 'range')
    response.setHeader('access-control-expose-headers', 'content-range')
    if (method === 'OPTIONS') {
      response.writeHead(204).end()
      return
    }
    asked.push(given.range === undefined ? url : `${url} ${given.range}`)
    headers.push(given)
    if (answer(request, response)) return
    const file = files[url]
    if (file === undefined) {
      response.writeHead(404).end('Entry not found')
      return
    }
    const bytes = Buffer.from(file)
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(given.range ?? '') ?? []
    if (!knowsRanges || from === undefined || to === undefined) {
      response.writeHead(200, { 'content-length': bytes.length }).end(bytes)
      return
    }
    const part = bytes.subarray(Number(from), Number(to) + 1)
    if (part.length === 0) response.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end()
    else {
      const range = `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}`
      response.writeHead(206, { 'content-range': range, 'content-length': part.length }).end(part)
    }
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, headers }
}
