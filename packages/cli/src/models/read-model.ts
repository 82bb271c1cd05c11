import { readdir, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { Evidence, ModelFiles, OpenedModel } from '@callspec/inspect'
import {
  fileRole,
  folderGguf,
  folderModelName,
  modelEvidence,
  MODEL_FILES,
  nameEvidence,
  NAMED_TEMPLATES,
  openModel,
} from '@callspec/inspect'
import { compileTemplate } from '@callspec/template'
import { readGguf } from '@callspec/template/source'
import type { Invocation } from '../command.ts'
import { noAddress, readSource, refusePipe, unreadableFile } from '../input-file.ts'
import { openByteReader, raiseText, sourceLocation } from '../template/source.ts'
import { messageOf, systemCode, UsageError } from '../usage-error.ts'

/**
 * Evidence for the formats of a model.
 *
 * @param model the folder of a model, one file of it, or a name
 * @throws UsageError or InputError for a folder or a file that is missing or broken
 */
export async function readModel(model: string, { options }: Invocation): Promise<readonly Evidence[]> {
  const files = await readModelFiles(model)
  if (files !== null) return modelEvidence(compiled(await openModel(files, options.text('name'))))
  if (/^(?:[./~]|[A-Za-z]:[\\/])/.test(model)) throw absentModel(model)
  return nameEvidence(model)
}

/** For a path that leads to nothing. */
export function absentModel(path: string): UsageError {
  return new UsageError(
    `${path}: ${noAddress(path) ?? 'no such file or folder. Give the folder of a model, or its name.'}`,
  )
}

/** @throws UsageError for a chat template that does not compile */
function compiled(model: OpenedModel): OpenedModel {
  const error = model.chat === null ? null : compileTemplate(model.chat.template).error
  if (model.chat === null || error === null) return model
  throw new UsageError(raiseText(sourceLocation(model.chat), error))
}

/**
 * The files of a model: its folder, or one of them. Null if nothing is there.
 *
 * @throws UsageError or InputError for a folder that is not a model's, and for a file that is broken
 */
export async function readModelFiles(path: string): Promise<ModelFiles | null> {
  const found = await stat(path).catch((error: unknown) => {
    if (systemCode(error) === 'ELOOP' || systemCode(error) === 'EACCES') throw unreadableFile(path, error)
    return null
  })
  if (found === null) return null
  const file = basename(path)
  if (found.isDirectory()) return folderFiles(path)
  if (/\.gguf$/i.test(file))
    return { name: path, modelName: file.replace(/\.gguf$/i, ''), texts: new Map(), gguf: headOf(path) }
  const { text } = await readSource(path)
  if (text.trim() === '')
    throw new UsageError(`${path}: the file is empty. Give a chat template, or another file of a model.`)
  if (/^\s*<(?:!doctype html|html)\b/i.test(text))
    throw new UsageError(`${path}: this is a page (HTML), not a file of a model. Download the raw file.`)
  return { name: path, modelName: null, texts: new Map([[fileRole(file, text), text]]), gguf: null }
}

/** The head of a GGUF, with its name in its folder. */
function headOf(path: string): Exclude<ModelFiles['gguf'], null> {
  return { file: basename(path), head: readGguf(path, openByteReader(path)) }
}

async function folderFiles(folder: string): Promise<ModelFiles> {
  const names = new Set(
    await readdir(folder).catch((error: unknown) => {
      throw new UsageError(`${folder}: cannot be listed (${systemCode(error) ?? messageOf(error)})`)
    }),
  )
  const inner = names.has(NAMED_TEMPLATES) ? await readdir(join(folder, NAMED_TEMPLATES)).catch(() => []) : []
  const wanted = [
    ...MODEL_FILES.filter((name) => names.has(name)),
    ...inner.filter((name) => name.endsWith('.jinja')).map((name) => `${NAMED_TEMPLATES}/${name}`),
  ]
  const gguf = folderGguf([...names, ...wanted])
  if (wanted.length === 0 && gguf === null)
    throw new UsageError(`${folder}: not a model's folder: it has none of ${MODEL_FILES.join(', ')}, and no GGUF.`)
  const texts = new Map<string, string>()
  for (const name of wanted) {
    const path = join(folder, name)
    await refusePipe(path)
    texts.set(name, (await readSource(path)).text)
  }
  const head = gguf === null ? null : headOf(join(folder, gguf))
  return { name: folder, modelName: folderModelName(resolve(folder)), texts, gguf: head }
}
