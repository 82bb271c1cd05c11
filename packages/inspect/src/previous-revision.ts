import { InputError } from '@callspec/python'
import { fetchModel } from './fetch-model.ts'
import type { SendRequest } from './fetch-model.ts'
import { isTemplateFile } from './model-files.ts'
import type { ModelFiles } from './model-files.ts'

/** The files of an earlier revision of a model. */
export interface PreviousRevision {
  /** The id of its commit. */
  readonly revision: string
  readonly files: ModelFiles
}

/** Earlier commits that are looked at. */
const MOST_COMMITS = 20
/** The list of commits; each has less than a kilobyte, and a site lists some hundred at a time. */
const MOST_LIST = 2 ** 20

/** Where the commits of a fetched model are listed, and where the files of each are. */
export interface RevisionAddresses {
  readonly commits: string
  /** `owner/name`. */
  readonly model: string
  /** The id of a commit and a slash follow. */
  readonly resolve: string
}

/**
 * Where the revisions of a model are, if its site has commits as that of Hugging Face does; null for a model that was not fetched from the
 * address of its page.
 */
export function revisionAddresses({ name }: Pick<ModelFiles, 'name'>): RevisionAddresses | null {
  const [, site, model, revision] = /^(https?:\/\/.+)\/([^/]+\/[^/]+)\/resolve\/([^/]+)\/$/.exec(name) ?? []
  if (site === undefined || model === undefined || revision === undefined) return null
  return { commits: `${site}/api/models/${model}/commits/${revision}`, model, resolve: `${site}/${model}/resolve/` }
}

/**
 * The newest commit of a fetched model in which a file with its templates is another one. At most 20 are looked at, with five requests each.
 *
 * @throws InputError, one line, for a model without a list of commits, and for templates that did not change
 */
export async function previousRevision(files: ModelFiles, send: SendRequest): Promise<PreviousRevision> {
  const addresses = revisionAddresses(files)
  if (addresses === null)
    throw new InputError(
      files.name,
      'has no list of revisions: that needs owner/name or the page of a model. Name the other copy.',
    )
  const { commits, model, resolve } = addresses
  const [, ...older] = await commitsOf(commits, send)
  const looked = older.slice(0, MOST_COMMITS)
  const own = templateTexts(files)
  for (const revision of looked) {
    const base = `${resolve}${revision}/`
    const found = await fetchModel({ kind: 'folder', base, modelName: model }, send).catch(absent)
    if (found !== null && templateTexts(found) !== own) return { revision, files: found }
  }
  const which = looked.length === 1 ? 'commit' : `${looked.length} commits`
  throw new InputError(
    files.name,
    looked.length === 0
      ? 'has only one revision.'
      : `its templates are the same in the ${which} before it. Name an older one: ${model}@REVISION.`,
  )
}

/** A commit before the model had any file. */
function absent(error: unknown): null {
  if (error instanceof InputError && error.message.includes('HTTP 404')) return null
  throw error
}

async function commitsOf(url: string, send: SendRequest): Promise<readonly string[]> {
  const answer = await send({ url, most: MOST_LIST })
  if (answer.kind === 'failed') throw new InputError(url, `${answer.why}.`)
  const list = answer.kind === 'absent' || answer.isCut ? null : listIn(new TextDecoder().decode(answer.bytes))
  if (list === null)
    throw new InputError(url, 'the site lists no commits. Name the other copy, such as owner/name@REVISION.')
  return list
}

/** The ids in a list of commits, the newest first; null for any other text. */
function listIn(text: string): readonly string[] | null {
  try {
    const value: unknown = JSON.parse(text)
    if (!Array.isArray(value)) return null
    const ids = value.map((each: unknown) =>
      typeof each === 'object' && each !== null && 'id' in each ? each.id : null,
    )
    return ids.filter((id): id is string => typeof id === 'string' && /^[\da-f]{7,64}$/.test(id))
  } catch {
    return null
  }
}

function templateTexts({ texts }: ModelFiles): string {
  const files = [...texts.keys()].filter(isTemplateFile).toSorted()
  return JSON.stringify(files.map((file) => [file, texts.get(file)]))
}
