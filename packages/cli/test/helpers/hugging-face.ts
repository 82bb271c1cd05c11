import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A model of the site. */
export interface HubModel {
  /** Files of each revision: a text is answered by the site, bytes by its other host, as files of LFS and Xet are. */
  readonly revisions: Readonly<Record<string, Readonly<Record<string, string | Uint8Array>>>>
  /** Who may read it. Default: everybody. */
  readonly access?: 'gated' | 'private' | 'disabled'
}

/** The site, and what was asked of each of its two hosts. */
export interface HuggingFace {
  /** Without a last slash. */
  readonly url: string
  readonly asked: readonly string[]
  /** Of the host of large files. */
  readonly askedOfFiles: readonly string[]
  readonly headersOfFiles: readonly IncomingMessage['headers'][]
  readonly headers: readonly IncomingMessage['headers'][]
}

interface HubLook {
  readonly models: Readonly<Record<string, HubModel>>
  /** Old names of models. */
  readonly renamed?: Readonly<Record<string, string>>
  /** Whether no request is left for this address. */
  readonly isLimited?: boolean
}

/** Of an account that is in the list of a gated model; of one that is not. */
export const TOKEN = 'hf_reader'
export const STRANGER = 'hf_stranger'

const EXPOSED =
  'X-Repo-Commit,X-Request-Id,X-Error-Code,X-Error-Message,X-Total-Count,ETag,Link,Accept-Ranges,Content-Range,X-Linked-Size,X-Linked-ETag,X-Xet-Hash'

/**
 * Answers as huggingface.co does to requests for files and lists of commits: status, codes, redirects, headers for other pages. Sources:
 * `utils/_http.py` of huggingface_hub, and responses that users of the site published in 2026. Gone after the test.
 */
export async function huggingFace({ models, renamed = {}, isLimited = false }: HubLook): Promise<HuggingFace> {
  const site = listener()
  const files = listener()
  await Promise.all([site.start, files.start])
  site.answer = (request, response) => {
    const { origin } = request.headers
    response.setHeader('access-control-allow-origin', origin ?? 'https://huggingface.co')
    response.setHeader('vary', 'Origin')
    response.setHeader('access-control-expose-headers', EXPOSED)
    response.setHeader('access-control-max-age', '86400')
    response.setHeader('ratelimit', `"resolvers";r=${isLimited ? 0 : 2_999};t=55`)
    response.setHeader('ratelimit-policy', '"fixed window";"resolvers";q=3000;w=300')
    if (request.method === 'OPTIONS') {
      response.setHeader('access-control-allow-headers', request.headers['access-control-request-headers'] ?? '')
      response.writeHead(200).end()
      return
    }
    if (isLimited) {
      response.writeHead(429, { 'content-type': 'text/html' }).end('<!doctype html><h1>429</h1>')
      return
    }
    const path = request.url ?? ''
    const [, cached = ''] = /^\/api\/resolve-cache(\/[^?]*)/.exec(path) ?? []
    if (cached !== '') {
      const [, name = '', revision = '', file = ''] = /^\/models\/([^/]+\/[^/]+)\/([^/]+)\/(.*)$/.exec(cached) ?? []
      const text = models[name]?.revisions[decodeURIComponent(revision)]?.[file]
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(text)
      return
    }
    const [, api, name = '', of, revision = '', file = ''] =
      /^\/(api\/models\/)?([^/]+\/[^/]+)\/(resolve|commits)\/([^/?]+)\/?([^?]*)/.exec(path) ?? []
    const to = renamed[name]
    if (to !== undefined) {
      response
        .writeHead(307, { location: path.replace(name, () => to) })
        .end(`Temporary Redirect. Redirecting to ${to}`)
      return
    }
    const model = models[name]
    const refused = refusal(name, { model, request, isMetadata: api !== undefined && of !== 'commits' })
    if (refused !== null || model === undefined) {
      refuse(response, refused ?? [404, null, 'Not Found'], api !== undefined)
      return
    }
    const own = model.revisions[decodeURIComponent(revision)]
    if (own === undefined) {
      refuse(response, [404, 'RevisionNotFound', `Invalid rev id: ${decodeURIComponent(revision)}`], api !== undefined)
      return
    }
    if (of === 'commits') {
      const commits = Object.keys(model.revisions).filter((id) => /^[\da-f]{40}$/.test(id))
      const list = commits.map((id) => ({
        id,
        title: 'Update',
        message: '',
        authors: [{ user: 'acme' }],
        date: '2026-01-01T00:00:00.000Z',
      }))
      response
        .writeHead(200, { 'content-type': 'application/json', 'x-total-count': list.length })
        .end(JSON.stringify(list))
      return
    }
    const given = own[file]
    response.setHeader('accept-ranges', 'bytes')
    response.setHeader('x-repo-commit', 'a'.repeat(40))
    if (given === undefined) refuse(response, [404, 'EntryNotFound', 'Entry not found'], false)
    else if (typeof given === 'string') {
      const query = `${encodeURIComponent(path)}=&etag=%22d66d65fb%22`
      const location = `/api/resolve-cache/models/${name}/${revision}/${file}?${query}`
      response.writeHead(307, { location }).end(`Temporary Redirect. Redirecting to ${location}`)
    } else {
      const location = `${files.url()}/xet-bridge-us/${encodeURIComponent(`${name} ${revision} ${file}`)}?X-Amz-Expires=3600&X-Amz-Signature=5949`
      response.writeHead(302, { location, 'x-linked-size': given.length }).end(`Found. Redirecting to ${location}`)
    }
  }
  files.answer = (request, response) => {
    const { range = '', authorization } = request.headers
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-expose-headers', '*')
    const [, place = ''] = /^\/xet-bridge-us\/([^?]*)/.exec(request.url ?? '') ?? []
    const [name = '', revision = '', file = ''] = decodeURIComponent(place).split(' ')
    const bytes = Buffer.from(models[name]?.revisions[decodeURIComponent(revision)]?.[file] ?? '')
    if (authorization !== undefined) {
      // A signed address takes no other authorization.
      response.writeHead(400, { 'content-type': 'application/xml' }).end('<Error><Code>InvalidArgument</Code></Error>')
      return
    }
    const [, from, until] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? []
    if (from === undefined || until === undefined) {
      response.writeHead(200, { 'content-length': bytes.length }).end(bytes)
      return
    }
    const part = bytes.subarray(Number(from), Number(until) + 1)
    const place206 = `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}`
    response.writeHead(206, { 'content-range': place206, 'content-length': part.length }).end(part)
  }
  return {
    url: site.url(),
    asked: site.asked,
    headers: site.headers,
    askedOfFiles: files.asked,
    headersOfFiles: files.headers,
  }
}

type Refusal = readonly [status: number, code: string | null, message: string]

function refusal(
  name: string,
  given: { readonly model: HubModel | undefined; readonly request: IncomingMessage; readonly isMetadata: boolean },
): Refusal | null {
  const { model, request, isMetadata } = given
  const token = request.headers.authorization?.replace(/^Bearer /, '')
  const isKnown = token === TOKEN || token === STRANGER
  const access = model === undefined ? 'private' : model.access
  if (access === undefined || (access === 'gated' && isMetadata)) return null
  if (access === 'disabled') return [403, null, 'Access to this resource is disabled.']
  if (access === 'private') {
    if (model !== undefined && token === TOKEN) return null
    if (isKnown) return [404, 'RepoNotFound', 'Repository not found']
    return [
      401,
      null,
      token === undefined ? 'Invalid username or password.' : 'Invalid credentials in Authorization header',
    ]
  }
  if (token === TOKEN) return null
  const restricted = `Access to model ${name} is restricted`
  return token === STRANGER
    ? [
        403,
        'GatedRepo',
        `${restricted} and you are not in the authorized list. Visit https://huggingface.co/${name} to ask for access.`,
      ]
    : [401, 'GatedRepo', `${restricted}. You must have access to it and be authenticated to access it. Please log in.`]
}

function refuse(response: ServerResponse, [status, code, message]: Refusal, isApi: boolean): void {
  if (code !== null) response.setHeader('x-error-code', code)
  response.setHeader('x-error-message', message)
  if (status === 401 && code === null)
    response.setHeader('www-authenticate', 'Bearer realm="Authentication required", charset="UTF-8"')
  response.setHeader('content-type', isApi ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8')
  response.writeHead(status).end(isApi ? JSON.stringify({ error: message }) : message)
}

interface Listener {
  answer: (request: IncomingMessage, response: ServerResponse) => void
  readonly start: Promise<void>
  readonly url: () => string
  readonly asked: string[]
  readonly headers: IncomingMessage['headers'][]
}

function listener(): Listener {
  const asked: string[] = []
  const headers: IncomingMessage['headers'][] = []
  const server = createServer((request, response) => {
    if (request.method !== 'OPTIONS') {
      const { range } = request.headers
      asked.push(`${(request.url ?? '').split('?')[0] ?? ''}${range === undefined ? '' : ` ${range}`}`)
      headers.push(request.headers)
    }
    made.answer(request, response)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const start = new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const made: Listener = {
    answer: (_, response) => response.end(),
    ...{ start, asked, headers },
    url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  }
  return made
}
