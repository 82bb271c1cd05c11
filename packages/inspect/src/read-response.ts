import type { PartRequest, PartResponse } from './fetch-model.ts'

/**
 * Reads the answer to a request for a file, at most `most` bytes of it.
 *
 * @throws what reading its body throws
 */
export async function readResponse(
  response: Response,
  { most, range: asked }: Pick<PartRequest, 'most' | 'range'>,
): Promise<PartResponse> {
  const { status } = response
  if (status === 200 || status === 206) {
    const { bytes, isCut } = await boundedBytes(response, most)
    const range = /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15}|\*)$/.exec(response.headers.get('content-range') ?? '')
    const length = Number(response.headers.get('content-length') ?? Number.NaN)
    const size = status === 206 ? Number(range?.[2]) : length
    // A page may not see the range that was given.
    const start = status === 206 ? Number(range?.[1] ?? asked?.[0] ?? 0) : 0
    return { kind: 'bytes', bytes, start, size: Number.isSafeInteger(size) ? size : null, isCut }
  }
  // A server that knows ranges has nothing after the end of the file.
  if (status === 416) return { kind: 'bytes', bytes: new Uint8Array(0), start: 0, size: null, isCut: false }
  const text = new TextDecoder().decode((await boundedBytes(response, 400)).bytes).trim()
  return refusalOf(response, /^[<{]/.test(text) ? '' : text)
}

/**
 * What an answer without a file means. The codes are those of huggingface.co: it answers 401 for a model that it does not have, unless a
 * token is sent, and for a gated one.
 */
function refusalOf({ status, headers }: Response, text: string): PartResponse {
  const code = headers.get('x-error-code')
  const said = short(headers.get('x-error-message') ?? text)
  const ofModel = (why: string, login = false): PartResponse => ({
    ...{ kind: 'failed', why: `HTTP ${status}: ${why}`, isOfModel: true },
    ...(login ? { needsLogin: true } : {}),
  })
  if (said === 'Access to this resource is disabled') return ofModel('the site has disabled the model')
  if (code === 'RevisionNotFound') return ofModel('the model has no such revision')
  if (code === 'RepoNotFound') return ofModel('there is no such model, or the token may not read it')
  if (status === 404 || status === 410) return { kind: 'absent' }
  if (code === 'GatedRepo')
    return status === 403
      ? ofModel(
          'the model is gated, and the account of the token may not read it: ask for access on the page of the model',
        )
      : ofModel('the model is gated: accept its terms on its page', true)
  if (status === 401 && said.startsWith('Invalid credentials')) return ofModel('the token is not valid')
  if (status === 401 || status === 403) return ofModel('there is no such model, or it asks for a login', true)
  if (status === 429) return ofModel(`too many requests. Try again ${waitOf(headers)}`)
  return { kind: 'failed', why: `HTTP ${status}${said === '' ? '' : `: ${said}`}` }
}

/** When a site takes requests again: by `RateLimit: "resolvers";r=0;t=55` of huggingface.co, or by `Retry-After`. A page may not read them. */
function waitOf(headers: Headers): string {
  const [, seconds] =
    /;\s*t=(\d{1,6})\b/.exec(headers.get('ratelimit') ?? '') ??
    /^(\d{1,6})$/.exec(headers.get('retry-after') ?? '') ??
    []
  return seconds === undefined ? 'in five minutes' : `in ${seconds} s`
}

/** On one line, without the full stop at its end; control characters are the printer's concern. */
function short(text: string): string {
  const line = text.replaceAll(/\s+/g, () => ' ').replace(/[.]$/, '')
  return line.length > 120 ? `${line.slice(0, 119)}…` : line
}

async function boundedBytes(
  { body }: Response,
  most: number,
): Promise<{ readonly bytes: Uint8Array; readonly isCut: boolean }> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = body?.getReader()
  while (reader !== undefined && size <= most) {
    const { value } = await reader.read()
    if (value === undefined) break
    chunks.push(value)
    size += value.length
  }
  await reader?.cancel()
  const all = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return { bytes: all.subarray(0, most), isCut: size > most }
}
