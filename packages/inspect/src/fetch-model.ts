import { InputError } from '@callspec/python'
import { readGgufHead } from './gguf-head.ts'
import type { ModelAddress } from './address.ts'
import { fileRole, MODEL_FILES, TEKKEN } from './model-files.ts'
import type { ModelFiles } from './model-files.ts'

/** What is asked of an address. */
export interface PartRequest {
  readonly url: string
  /** The bytes from `start` on, before `end`. Without it the whole file. */
  readonly range?: readonly [start: number, end: number]
  /** No more bytes are read. */
  readonly most: number
}

/** The answer of an address. */
export type PartResponse =
  | {
      readonly kind: 'bytes'
      readonly bytes: Uint8Array
      /** Where they begin in the file: 0 from a server that knows no ranges. */
      readonly start: number
      /** Of the whole file; null if it is not known. */
      readonly size: number | null
      /** Whether there is more than `most`. */
      readonly isCut: boolean
    }
  /** No file is there. */
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'failed'
      /** Why there are no bytes: a clause, or several, without a full stop at the end. */
      readonly why: string
      /** Whether every file of the model is refused for it. */
      readonly isOfModel?: boolean
      /** Whether a login may open the file. */
      readonly needsLogin?: boolean
    }

/** Sends one request, of the program or of a page. Never throws for what the other side does. */
export type SendRequest = (request: PartRequest) => Promise<PartResponse>

/** The largest `tokenizer_config.json` that is known has 5 MB. */
const MOST_TEXT = 32 * 2 ** 20
/** Its version is in its first lines. */
const TEKKEN_HEAD = 65_536

/** The addresses that a model's files are requested from, in this order. */
export function requestedAddresses(address: Exclude<ModelAddress, { readonly kind: 'wrong' }>): readonly string[] {
  return address.kind === 'file' ? [address.url] : MODEL_FILES.map((file) => address.base + file)
}

/**
 * Fetches the files of a model: of a GGUF the head alone, of `tekken.json` its beginning, every other whole.
 *
 * @throws InputError, one line, for an address without any of them, an answer that is not a file, and a file that is too long
 */
export async function fetchModel(
  address: Exclude<ModelAddress, { readonly kind: 'wrong' }>,
  send: SendRequest,
): Promise<ModelFiles> {
  if (address.kind === 'folder') {
    const answers = await Promise.all(MODEL_FILES.map(async (file) => send(textRequest(address.base + file, file))))
    const refused = answers.find((answer) => answer.kind === 'failed' && answer.isOfModel === true)
    if (refused?.kind === 'failed') throw new InputError(address.base, `${refused.why}.`)
    const found = MODEL_FILES.flatMap((file, at) => {
      const answer = answers[at]
      const text = answer === undefined ? null : fetchedText(answer, address.base + file, file)
      return text === null ? [] : [[file, text] as const]
    })
    if (found.length === 0)
      throw new InputError(
        address.base,
        `has none of ${MODEL_FILES.join(', ')} (HTTP 404). Give the address of a model or of a raw file, such as a .gguf.`,
      )
    return { name: address.base, modelName: address.modelName, texts: new Map(found), gguf: null }
  }
  const { url, file } = address
  const modelName = file.replace(/\.[^.]*$/, '')
  if (/\.gguf$/i.test(file)) {
    const head = await readGgufHead(url, (start, end) => fetchPart(url, [start, end], send))
    return { name: url, modelName, texts: new Map(), gguf: { file, head } }
  }
  const text = fetchedText(await send(textRequest(url, file)), url, file)
  if (text === null) throw new InputError(url, 'there is no such file (HTTP 404).')
  return { name: url, modelName: null, texts: new Map([[fileRole(file, text), text]]), gguf: null }
}

async function fetchPart(
  url: string,
  [start, end]: readonly [number, number],
  send: SendRequest,
): Promise<{ readonly bytes: Uint8Array; readonly size: number | null }> {
  const answer = await send({ url, range: [start, end], most: end })
  if (answer.kind === 'absent') throw new InputError(url, 'there is no such file (HTTP 404).')
  if (answer.kind === 'failed') throw new InputError(url, `${answer.why}.`)
  return { bytes: answer.bytes.subarray(Math.max(0, start - answer.start)), size: answer.size }
}

function textRequest(url: string, file: string): PartRequest {
  return file === TEKKEN ? { url, most: TEKKEN_HEAD, range: [0, TEKKEN_HEAD] } : { url, most: MOST_TEXT }
}

/** The text of a file; null if it is not there. */
function fetchedText(answer: PartResponse, url: string, file: string): string | null {
  if (answer.kind === 'absent') return null
  if (answer.kind === 'failed') throw new InputError(url, `${answer.why}.`)
  const text = new TextDecoder().decode(answer.bytes)
  if (file === TEKKEN) return tekkenVersion(text)
  if (answer.isCut) throw new InputError(url, 'more than 32 MB. Is it the right file?')
  if (/^\s*<(?:!doctype|html)/i.test(text))
    throw new InputError(url, 'the answer is a page, not a file. Give the address of the raw file.')
  if (text.startsWith('version https://git-lfs'))
    throw new InputError(
      url,
      'the answer is a pointer of Git LFS, not the file. Give the address that leads to the file.',
    )
  return text
}

/** The version in the first lines of a `tekken.json`, as JSON. A token cannot pretend to be it: its quotation marks are escaped. */
function tekkenVersion(head: string): string {
  const [, version] = /"version"\s*:\s*"(v\d{1,4})"/.exec(head) ?? []
  return version === undefined ? '{}' : `{"config": {"version": "${version}"}}`
}
