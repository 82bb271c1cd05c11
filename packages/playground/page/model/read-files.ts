import { InputError } from '@callspec/core'
import type { ModelFiles, PartRequest, PartResponse } from '@callspec/inspect'
import { fileRole, MODEL_FILES, NAMED_TEMPLATES, readGgufHead, readResponse } from '@callspec/inspect'

/** A file that was chosen or dropped, with its path in the dropped folder. */
export interface PickedFile {
  readonly path: string
  readonly file: File
}

const LONGEST_FILE = 32 * 2 ** 20

/**
 * Reads files of a model: of a GGUF the head, of others the text.
 *
 * @throws InputError, one line, for files that are broken or too long, and for none
 */
export async function readPicked(picked: readonly PickedFile[]): Promise<ModelFiles> {
  const gguf = picked.find(({ path }) => /\.gguf$/i.test(path))
  const folder = picked.map(({ path }) => path.split('/')).find((parts) => parts.length > 1)?.[0] ?? null
  if (gguf !== undefined) {
    const { file } = gguf
    const head = await readGgufHead(file.name, async (start, end) => {
      const bytes = new Uint8Array(await file.slice(start, end).arrayBuffer())
      return { bytes, size: file.size }
    })
    const modelName = file.name.replace(/\.gguf$/i, '')
    return { name: file.name, modelName, texts: new Map(), gguf: { file: file.name, head } }
  }
  // Of a folder only the files that have a name of a model's file; a single file may have any.
  const wanted = picked.length === 1 && folder === null ? picked : picked.filter(({ path }) => isWanted(path))
  const texts = new Map<string, string>()
  for (const { path, file } of wanted) {
    if (file.size > LONGEST_FILE) throw new InputError(path, 'more than 32 MB. Is it the right file?')
    const text = await file.text()
    texts.set(isWanted(path) ? withoutFolder(path) : fileRole(file.name, text), text)
  }
  const [only] = wanted
  return { name: folder ?? only?.path ?? 'the files', modelName: folder, texts, gguf: null }
}

/** Whether a path in a folder is that of a file that says something about calls. */
export function isWanted(path: string): boolean {
  const name = withoutFolder(path)
  return MODEL_FILES.includes(name) || (name.startsWith(`${NAMED_TEMPLATES}/`) && name.endsWith('.jinja'))
}

function withoutFolder(path: string): string {
  const parts = path.split('/')
  return parts.at(-2) === NAMED_TEMPLATES ? parts.slice(-2).join('/') : (parts.at(-1) ?? path)
}

/** A request may take so long, in milliseconds. */
const LONGEST_REQUEST = 30_000

/** Sends a request from the visitor's browser, without cookies and without saying where it comes from. Never throws. */
export async function sendFromPage({ url, range, most }: PartRequest): Promise<PartResponse> {
  const signal = AbortSignal.timeout(LONGEST_REQUEST)
  try {
    const headers: Readonly<Record<string, string>> =
      range === undefined ? {} : { range: `bytes=${range[0]}-${range[1] - 1}` }
    const response = await fetch(url, { headers, credentials: 'omit', referrerPolicy: 'no-referrer', signal })
    return await readResponse(response, { most })
  } catch {
    if (signal.aborted) return { kind: 'failed', why: `no response within ${LONGEST_REQUEST / 1000} s` }
    // A browser does not say which.
    return {
      kind: 'failed',
      why: 'the site cannot be reached, or does not let other pages read its files (CORS): download them and drop them here',
    }
  }
}
