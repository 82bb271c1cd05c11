import { InputError } from '@callspec/core'
import type { ModelFiles, PartRequest, PartResponse } from '@callspec/inspect'
import { fileRole, readGgufHead, readResponse } from '@callspec/inspect'
import type { PickedFile } from './choose-files.ts'
import { chooseFiles } from './choose-files.ts'

const LONGEST_FILE = 32 * 2 ** 20

/**
 * Reads files of a model: of a GGUF the head, of others the text, of the rest nothing.
 *
 * @throws InputError, one line, for files that are broken or too long, and for none
 */
export async function readPicked(picked: readonly PickedFile[]): Promise<ModelFiles> {
  const { name, modelName, texts, single, gguf } = chooseFiles(picked)
  const read = new Map<string, string>()
  for (const [role, file] of texts) read.set(role, await pickedText(file))
  if (single !== null) {
    const text = await pickedText(single)
    read.set(fileRole(single.path, text), text)
  }
  return { name, modelName, texts: read, gguf: gguf === null ? null : await pickedHead(gguf) }
}

async function pickedText({ path, open }: PickedFile): Promise<string> {
  const file = await open()
  if (file.size > LONGEST_FILE) throw new InputError(path, 'more than 32 MB. Is it the right file?')
  return file.text()
}

async function pickedHead({ open }: PickedFile): Promise<ModelFiles['gguf']> {
  const file = await open()
  const head = await readGgufHead(file.name, async (start, end) => {
    const bytes = new Uint8Array(await file.slice(start, end).arrayBuffer())
    return { bytes, size: file.size }
  })
  return { file: file.name, head }
}

/** A request may take so long, in milliseconds. */
const LONGEST_REQUEST = 30_000

/** Sends a request from the visitor's browser, without cookies and without saying where it comes from. Never throws. */
export async function sendFromPage(request: PartRequest): Promise<PartResponse> {
  const { url, range } = request
  const signal = AbortSignal.timeout(LONGEST_REQUEST)
  try {
    const headers: Readonly<Record<string, string>> =
      range === undefined ? {} : { range: `bytes=${range[0]}-${range[1] - 1}` }
    const response = await fetch(url, { headers, credentials: 'omit', referrerPolicy: 'no-referrer', signal })
    const answer = await readResponse(response, request)
    if (answer.kind !== 'failed' || answer.needsLogin !== true) return answer
    return { ...answer, why: `${answer.why}. The page sends no token: download the files and drop them here` }
  } catch {
    if (signal.aborted) return { kind: 'failed', why: `no response within ${LONGEST_REQUEST / 1000} s` }
    // A browser does not say which.
    return {
      kind: 'failed',
      why: 'the site cannot be reached, or does not let other pages read its files (CORS): download them and drop them here',
    }
  }
}
