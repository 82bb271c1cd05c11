/** Where the files of a model are fetched. */
export type ModelAddress =
  /** A folder of raw files; its address ends with `/`. */
  | { readonly kind: 'folder'; readonly base: string; readonly modelName: string }
  /** One raw file. */
  | { readonly kind: 'file'; readonly url: string; readonly file: string }
  /** One sentence. */
  | { readonly kind: 'wrong'; readonly why: string }

/** The site of a model that is named `owner/name`. */
export const HUB = 'https://huggingface.co'

const NAME = /^([\w-][\w.-]*)\/([\w-][\w.-]*?)(?:@([\w.-]+(?:\/[\w.-]+)*))?$/

/** Other names of its host. A redirect from one of them would lose the token. */
const ALIASES = /^(?:www\.)?(?:hf\.co|huggingface\.co)$/

/** Whether a text has the form `owner/name` or `owner/name@REVISION`. It may be a path as well. */
export function isModelName(text: string): boolean {
  return NAME.test(text)
}

/**
 * The address of a model's files. A page of a model (`/owner/name`, `/tree/main`, `/blob/main/FILE`) becomes the address of its raw files
 * (`/resolve/main/`); an address that ends with `/` is a folder of raw files, any other a raw file.
 *
 * @param given `owner/name`, `owner/name@REVISION`, or an address of http or https
 * @param hub the site for names, without a last slash
 */
export function modelAddress(given: string, hub: string = HUB): ModelAddress {
  const [, owner, name, revision = 'main'] = NAME.exec(given) ?? []
  if (owner !== undefined && name !== undefined)
    return {
      kind: 'folder',
      // A slash in the name of a revision, such as refs/pr/1, is not one of the path.
      base: `${hub}/${owner}/${name}/resolve/${encodeURIComponent(revision)}/`,
      modelName: `${owner}/${name}`,
    }
  const url = parsed(given)
  if (url === null) return { kind: 'wrong', why: 'This is neither owner/name nor an address of http or https.' }
  const parts = url.pathname.split('/').filter((part) => part !== '')
  const site = ALIASES.test(url.hostname) ? HUB : url.origin
  const rooted = (path: string): string => `${site}/${path}`
  const last = parts.at(-1)
  if (last === undefined)
    return {
      kind: 'wrong',
      why: 'This is the address of a site or a server, not of a model. callspec doctor examines a server.',
    }
  const [first = '', second = '', action, at = 'main', ...rest] = parts
  const isPage = parts.length === 2 && !url.pathname.endsWith('/') && !isFile(last)
  if (isPage || action === 'tree') {
    const base = rooted([first, second, 'resolve', at, ...rest, ''].join('/'))
    // The page of a GGUF beside the list of files.
    const shown = url.searchParams.get('show_file_info')
    return shown === null
      ? { kind: 'folder', base, modelName: modelNameOf(first, second) }
      : {
          kind: 'file',
          url: base + shown.split('/').map(encodeURIComponent).join('/'),
          file: shown.split('/').at(-1) ?? shown,
        }
  }
  if (action === 'blob' && rest.length > 0)
    return { kind: 'file', url: rooted(`${first}/${second}/resolve/${at}/${rest.join('/')}`), file: decoded(last) }
  if (url.pathname.endsWith('/')) {
    const modelName = action === 'resolve' ? modelNameOf(first, second) : decoded(last)
    return { kind: 'folder', base: `${site}${url.pathname}`, modelName }
  }
  return { kind: 'file', url: `${site}${url.pathname}${url.search}`, file: decoded(last) }
}

function modelNameOf(owner: string, name: string): string {
  return `${decoded(owner)}/${decoded(name)}`
}

function isFile(name: string): boolean {
  return /\.(?:jinja2?|json5?|gguf|txt)$/i.test(name)
}

function parsed(given: string): URL | null {
  if (!/^https?:\/\//i.test(given)) return null
  try {
    return new URL(given)
  } catch {
    return null
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
