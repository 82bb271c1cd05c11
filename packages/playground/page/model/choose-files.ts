import { InputError } from '@callspec/core'
import { folderGguf, folderModelName, MODEL_FILES, NAMED_TEMPLATES } from '@callspec/inspect'

/** A file that was chosen or dropped. */
export interface PickedFile {
  /** In the dropped folder, beginning with its name; the name alone of a file that lies in none. */
  readonly path: string
  readonly open: () => Promise<File>
}

/** Of the files of a folder those that say something about a model. */
export interface ChosenFiles {
  /** For messages: the folder of the model, or the file. */
  readonly name: string
  readonly modelName: string | null
  /** By their path in the folder of the model. */
  readonly texts: ReadonlyMap<string, PickedFile>
  /** A file of any name, which was chosen alone. */
  readonly single: PickedFile | null
  readonly gguf: PickedFile | null
}

/** Whether a file of this path belongs to a model, by its name. */
export function isModelFile(path: string): boolean {
  return isText(path) || isGguf(path)
}

/** Whether a path leads into the folder of named templates. */
export function isNamedTemplates(path: string): boolean {
  return path.split('/').at(-1) === NAMED_TEMPLATES
}

/**
 * Chooses among the files of a folder: those in the folder nearest to its top, as files of the same name further down are other models or
 * parts of this one. A GGUF is chosen where no text has a template.
 *
 * @throws InputError, one line, where no file or more than one model is found
 */
export function chooseFiles(picked: readonly PickedFile[]): ChosenFiles {
  const [only] = picked
  if (only === undefined) throw new InputError('nothing was read', `no file was given. ${LINKS}`)
  if (picked.length === 1 && !only.path.includes('/') && !isGguf(only.path))
    return { name: only.path, modelName: null, texts: new Map(), single: only, gguf: null }
  const placed = picked.filter(({ path }) => isModelFile(path)).map((file) => ({ file, ...placeOf(file.path) }))
  const least = placed.reduce((fewest, { root }) => Math.min(fewest, root.length), Infinity)
  const nearest = placed.filter(({ root }) => root.length === least)
  const [folder, ...others] = [...new Set(nearest.map(({ root }) => root.join('/')))]
  if (folder === undefined)
    throw new InputError(
      nameOfAll(picked),
      `${NONE} ${picked.some(({ path }) => CACHED.test(path)) ? LINKS : "Give a model's folder, or one of them."}`,
    )
  if (others.length > 0)
    throw new InputError(nameOfAll(picked), `has several models: ${firstNames([folder, ...others])}. Give one of them.`)
  const texts = new Map(nearest.flatMap(({ file, name }) => (isGguf(name) ? [] : [[name, file] as const])))
  const head = folderGguf(nearest.map(({ name }) => name))
  const gguf = nearest.find(({ name }) => name === head)
  return {
    name: folder === '' ? (gguf?.name ?? only.path) : folder,
    modelName: folder === '' ? (gguf?.name.replace(/\.gguf$/i, '') ?? null) : folderModelName(folder),
    texts,
    single: null,
    gguf: gguf?.file ?? null,
  }
}

const NONE = `has none of ${MODEL_FILES.join(', ')}, and no GGUF.`

/** A file in the cache of Hugging Face, where the names of a model's files are links. */
const CACHED = /(?:^|\/)models--[^/]+\/blobs\//
const LINKS =
  'In a folder a browser follows no links, such as those in the cache of Hugging Face: give the files themselves.'

function isText(path: string): boolean {
  const { name } = placeOf(path)
  return MODEL_FILES.includes(name) || (name.startsWith(`${NAMED_TEMPLATES}/`) && name.endsWith('.jinja'))
}

function isGguf(path: string): boolean {
  return /\.gguf$/i.test(path)
}

/** The folder of the model, and the path in it. */
function placeOf(path: string): { readonly root: readonly string[]; readonly name: string } {
  const parts = path.split('/')
  const at = parts.at(-2) === NAMED_TEMPLATES ? -2 : -1
  return { root: parts.slice(0, at), name: parts.slice(at).join('/') }
}

/** How a message names all that was given. */
function nameOfAll(picked: readonly PickedFile[]): string {
  const tops = [...new Set(picked.map(({ path }) => path.split('/')[0] ?? path))]
  return firstNames(tops)
}

const MOST_NAMES = 3

function firstNames(names: readonly string[]): string {
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : ''
  return names.slice(0, MOST_NAMES).join(', ') + more
}
