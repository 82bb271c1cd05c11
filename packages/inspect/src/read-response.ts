import type { PartRequest, PartResponse } from './fetch-model.ts'

/**
 * Reads the answer to a request for a file, at most `most` bytes of it.
 *
 * @throws what reading its body throws
 */
export async function readResponse(response: Response, { most }: Pick<PartRequest, 'most'>): Promise<PartResponse> {
  const { status } = response
  if (status === 200 || status === 206) {
    const { bytes, isCut } = await boundedBytes(response, most)
    const range = /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15}|\*)$/.exec(response.headers.get('content-range') ?? '')
    const length = Number(response.headers.get('content-length') ?? Number.NaN)
    const size = status === 206 ? Number(range?.[2]) : length
    const start = status === 206 ? Number(range?.[1] ?? 0) : 0
    return { kind: 'bytes', bytes, start, size: Number.isSafeInteger(size) ? size : null, isCut }
  }
  if (status === 404 || status === 410) {
    await response.body?.cancel()
    return { kind: 'absent' }
  }
  // A server that knows ranges has nothing after the end of the file.
  if (status === 416) return { kind: 'bytes', bytes: new Uint8Array(0), start: 0, size: null, isCut: false }
  if (status === 401 || status === 403)
    return { kind: 'failed', why: `HTTP ${status}: there is no such model, or it asks for a login` }
  const text = new TextDecoder().decode((await boundedBytes(response, 400)).bytes).trim()
  const isMarkup = /^[<{]/.test(text) || text === ''
  return { kind: 'failed', why: `HTTP ${status}${isMarkup ? '' : `: ${short(text)}`}` }
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
