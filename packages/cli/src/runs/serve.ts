import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import { basename, extname, join, sep } from 'node:path'
import { RunError } from '@callspec/eval'
import type { EvalSummary } from '@callspec/eval'
import { localRequestFault } from '@callspec/eval/guards'
import { renderProgress, renderRunList } from '@callspec/report/evaluation'
import { REPORT_FILES } from '../eval/report-files.ts'
import { LISTENS_ON, listenLocally } from '../local-server.ts'
import type { LocalServer } from '../local-server.ts'
import { messageOf } from '../usage-error.ts'
import { INDEX_PAGE } from './index-page.ts'
import type { ReadRuns, RunReader } from './read-runs.ts'
import { createRunReader } from './read-runs.ts'
import type { NotScored } from './so-far.ts'
import { renderSoFar, scoreSoFar } from './so-far.ts'

/**
 * Serves the runs of a folder on 127.0.0.1: the page of all runs, the files of each, and how far those are that have not ended.
 *
 * @param port 0 for any free port
 * @throws the system's error if the port is in use
 */
export async function serveRuns(reports: string, port: number): Promise<LocalServer> {
  const view = createView(reports)
  const server = createServer((request, response) => {
    void handle(request, response, view).catch((error: unknown) => {
      if (!response.headersSent) send(request, response, plain(500, `callspec view: ${messageOf(error)}\n`))
      else response.destroy()
    })
  })
  return listenLocally(server, port)
}

interface Answer {
  readonly status: number
  readonly type: string
  readonly body: Buffer
  readonly headers?: Readonly<Record<string, string>>
}

/** A page of callspec names its own script by hash; a file of a folder may come from anyone, and connects to nothing. */
const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'self' 'unsafe-inline'"
const FRAMED = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

async function handle(request: IncomingMessage, response: ServerResponse, view: View): Promise<void> {
  const { method = '', headers, url = '/' } = request
  const fault = localRequestFault({ method, host: headers.host, origin: headers.origin }, LISTENS_ON)
  if (fault !== null) return send(request, response, plain(fault.status, `callspec view: ${fault.reason}\n`))
  if (method !== 'GET' && method !== 'HEAD')
    return send(request, response, plain(405, 'These pages are only read.\n', { allow: 'GET, HEAD' }))
  const parts = partsOf(url)
  const found = parts === null ? null : await answerOf(parts, view)
  if (found === null) return send(request, response, plain(404, 'There is nothing here. All runs: /\n'))
  if ('path' in found) return sendFile(request, response, found)
  return send(request, response, found)
}

/** The parts of a path; null for one that names a hidden file, leaves the folder, or is not an address. */
function partsOf(url: string): readonly string[] | null {
  try {
    const parts = (url.split(/[?#]/)[0] ?? '').split('/').slice(1).map(decodeURIComponent)
    const isPlain = parts.every((part, at) => (part === '' ? at === parts.length - 1 : PLAIN_NAME.test(part)))
    return isPlain ? parts : null
  } catch {
    return null
  }
}

/** Neither hidden nor a way up. */
const PLAIN_NAME = /^[^./\\\0:][^/\\\0:]*$/

interface ServedFile {
  readonly path: string
  readonly size: number
  readonly type: string
}

interface View {
  readonly reports: string
  readonly reader: RunReader
  readonly scored: Map<string, Scored>
  /** The page of a list of runs: it is asked for every second. */
  readonly lists: WeakMap<ReadRuns['runs'], Answer>
  readonly began: Map<string, { readonly at: number; readonly done: number }>
}

function createView(reports: string): View {
  return { reports, reader: createRunReader(reports), scored: new Map(), lists: new WeakMap(), began: new Map() }
}

async function answerOf(parts: readonly string[], view: View): Promise<Answer | ServedFile | null> {
  const [name = '', file, ...rest] = parts
  if (file === undefined) {
    if (name === '' || name === INDEX_PAGE) return runList(view)
    return (await fileIn(view, [name])) ?? redirectOf(view, name)
  }
  if (rest.length > 0) return fileIn(view, parts)
  if (file === SO_FAR) return soFarOf(view, name)
  if (file !== '' && file !== REPORT_FILES.html) return fileIn(view, parts)
  return (await fileIn(view, [name, REPORT_FILES.html])) ?? progressOf(view, name)
}

/** Here every run has a page. */
async function runList({ reader, lists }: View): Promise<Answer> {
  const { runs, older } = await reader.read()
  const known = lists.get(runs)
  if (known !== undefined) return known
  const linked = runs.map((run) => (run.fault === null ? { ...run, page: '' } : run))
  const made = page(renderRunList({ runs: linked, older, isLive: true }))
  lists.set(runs, made)
  return made
}

const SO_FAR = 'so-far'

/** A folder ends with a slash, so that links in its page lead to its files. */
function redirectOf(view: View, name: string): Answer | null {
  return isRun(view, name) ? { ...plain(308, ''), headers: { location: `/${encodeURIComponent(name)}/` } } : null
}

function isRun({ reader }: View, name: string): boolean {
  try {
    reader.progress(name)
    return true
  } catch (error) {
    if (error instanceof RunError) return false
    throw error
  }
}

/** What browsers make of the files of a run folder; other endings are not served. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json; charset=utf-8'],
  ['.jsonl', 'text/plain; charset=utf-8'],
  ['.md', 'text/plain; charset=utf-8'],
  ['.csv', 'text/plain; charset=utf-8'],
  ['.xml', 'text/plain; charset=utf-8'],
])

/** A regular file in the folder, also after symbolic links; null for anything else. */
async function fileIn({ reports }: View, parts: readonly string[]): Promise<ServedFile | null> {
  const type = TYPES.get(extname(parts.at(-1) ?? ''))
  if (type === undefined) return null
  const path = join(reports, ...parts)
  const [root, real, found] = await Promise.all([realpath(reports), realpath(path), stat(path)]).catch(() => [])
  if (root === undefined || real === undefined || !found.isFile() || !real.startsWith(root + sep)) return null
  return { path: real, size: found.size, type }
}

interface Scored {
  readonly bytes: number
  readonly at: number
  readonly tookMs: number
  readonly result: EvalSummary | NotScored
}

/** Scoring takes at most a tenth of the time. */
const SHARE_OF_TIME = 10

function progressOf(view: View, name: string): Answer | null {
  if (!isRun(view, name)) return null
  const { manifest, isPlaying, done, of, bytes, rows } = view.reader.progress(name)
  const result = done === 0 ? null : scoredOf(view, { name, bytes })
  const isScored = result !== null && !('fault' in result)
  const figures = isScored ? result.rows : []
  const began = view.began.get(name) ?? { at: performance.now(), done }
  view.began.set(name, began)
  const seconds = (performance.now() - began.at) / 1000
  return page(
    renderProgress({
      ...{ name, startedAt: manifest.startedAt, progress: { done, of } },
      state: manifest.finishedAt !== null ? 'finished' : isPlaying ? 'playing' : 'stopped',
      rows: rows.map((row) => ({
        ...row,
        success:
          figures.find(({ model, protocol }) => model === row.model && protocol === row.protocol)?.rates.task_success ??
          null,
      })),
      scored: isScored ? { episodes: figures.reduce((sum, { episodes }) => sum + episodes, 0) } : result,
      perSecond: done === began.done || seconds < 1 ? null : (done - began.done) / seconds,
      soFar: isScored ? SO_FAR : null,
      command: null,
    }),
  )
}

function scoredOf(view: View, { name, bytes }: { readonly name: string; readonly bytes: number }): Scored['result'] {
  const known = view.scored.get(name)
  const now = performance.now()
  if (known !== undefined && (known.bytes === bytes || now - known.at < SHARE_OF_TIME * known.tookMs))
    return known.result
  const result = scoreSoFar(join(view.reports, name), bytes)
  view.scored.set(name, { bytes, result, at: performance.now(), tookMs: performance.now() - now })
  return result
}

function soFarOf(view: View, name: string): Answer | null {
  if (!isRun(view, name)) return null
  const html = renderSoFar(join(view.reports, name), view.reader.progress(name).bytes)
  if (html === null) return plain(404, 'No episode has ended yet.\n')
  return typeof html === 'string' ? page(html) : plain(409, `callspec view: ${basename(name)}: ${html.fault}\n`)
}

function page(html: string): Answer {
  return {
    status: 200,
    type: 'text/html; charset=utf-8',
    body: Buffer.from(html),
    headers: { 'content-security-policy': `${PAGE_POLICY}; connect-src 'self'; ${FRAMED}` },
  }
}

function plain(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, type: 'text/plain; charset=utf-8', body: Buffer.from(text), headers }
}

/** Nothing that is served is stored by the browser, except to be asked for again. */
const COMMON = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache', 'referrer-policy': 'no-referrer' }

function send({ method, headers: asked }: IncomingMessage, response: ServerResponse, answer: Answer): void {
  const { status, type, body, headers = {} } = answer
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  const isKnown = status === 200 && asked['if-none-match'] === etag
  response.writeHead(isKnown ? 304 : status, {
    ...COMMON,
    ...headers,
    ...(status === 200 ? { etag } : {}),
    ...(isKnown ? {} : { 'content-type': type, 'content-length': body.length }),
  })
  response.end(isKnown || method === 'HEAD' ? undefined : body)
}

function sendFile({ method }: IncomingMessage, response: ServerResponse, { path, type, size }: ServedFile): void {
  response.writeHead(200, {
    ...COMMON,
    'content-type': type,
    'content-security-policy': `${PAGE_POLICY}; ${FRAMED}`,
    'content-length': size,
  })
  if (method === 'HEAD' || size === 0) return void response.end()
  // A journal may grow while it is sent.
  const stream = createReadStream(path, { end: size - 1 })
  stream.on('error', () => response.destroy())
  response.on('close', () => stream.destroy())
  stream.pipe(response)
}
