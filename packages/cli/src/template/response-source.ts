import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { PyValue } from '@callspec/python'
import type { ResponseTemplate, SourcedTemplate } from '@callspec/response-template'
import { loadTemplate, sourcedTemplate } from '@callspec/response-template'
import { readJson } from '@callspec/template/source'
import { exists, readSource, refusePipe } from '../input-file.ts'
import { UsageError } from '../usage-error.ts'

/** A response template or an older schema, with the name of its file and the place in it. */
export type ResponseSource = Exclude<SourcedTemplate, { readonly kind: 'none' }> & { readonly name: string }

/** Larger files are refused: templates have some thousand characters. */
const MAX_LENGTH = 10_000_000

/**
 * Reads the response template of a model folder, of its `tokenizer_config.json`, or of a file of the template alone; null if there is none.
 *
 * @throws UsageError, one line, for a file that is missing, not JSON, or larger than 10 MB
 */
export async function findResponseSource(path: string): Promise<ResponseSource | null> {
  const isFolder = (await stat(path).catch(() => null))?.isDirectory() === true
  const file = isFolder ? join(path, 'tokenizer_config.json') : path
  if (isFolder) await refusePipe(file)
  if (isFolder && !(await exists(file))) return null
  const { name, text } = await readSource(file)
  if (text.length > MAX_LENGTH)
    throw new UsageError(`${name}: more than 10 MB. This is not the file of a response template.`)
  const sourced = sourcedTemplate(readJson(text, name))
  return sourced.kind === 'none' ? null : { ...sourced, name }
}

/**
 * Reads the response template of a source, as `findResponseSource`.
 *
 * @throws UsageError also for a source that has none
 */
export async function readResponseSource(path: string): Promise<ResponseSource> {
  const source = await findResponseSource(path)
  if (source !== null) return source
  throw new UsageError(
    `${path}: has no response template. Give a folder or tokenizer_config.json with "response_template", or a file of the template alone.`,
  )
}

/** @throws UsageError, one line, for a template that transformers refuses */
export function loadedTemplate(value: PyValue, name: string): ResponseTemplate {
  const loaded = loadTemplate(value)
  if (loaded.kind === 'loaded') return loaded.template
  const { type, kind, message } = loaded.fault
  throw new UsageError(`${name}: transformers refuses this template (${kind}): ${type}: ${message}`)
}
