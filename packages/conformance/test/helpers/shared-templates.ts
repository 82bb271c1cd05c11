import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const LIST = resolve(import.meta.dirname, '../../adapters/llama.cpp/templates.json')
const VECTORS = resolve(import.meta.dirname, '../../../../../shared/vectors')

/** Where texts of templates may lie: those beside the project by their sha256, those of a checkout by their names. */
const FOLDERS = [process.env['CALLSPEC_TEMPLATES'] ?? '', resolve(VECTORS, 'templates/texts')].filter(
  (path) => path !== '',
)

/** A template that is not kept here, as the adapter of llama.cpp lists it. */
interface Listed {
  readonly format: string
  readonly file: string
  readonly source: string
  readonly sha256: string
  readonly bos?: string
}

/** A format, and a template of somebody else that writes its calls. */
export interface SharedTemplate {
  readonly format: string
  readonly text: string
  readonly beginning: string | undefined
}

/** The templates with which formats are said. */
export const LISTED: readonly Listed[] = JSON.parse(readFileSync(LIST, 'utf8')) as readonly Listed[]

/** Those whose texts are at hand; none where no folder has any. */
export function sharedTemplates(): readonly SharedTemplate[] {
  return LISTED.flatMap(({ format, file, sha256, bos }) => {
    const text = FOLDERS.flatMap((folder) => [join(folder, `${sha256}.jinja`), join(folder, file)])
      .filter((path) => existsSync(path))
      .map((path) => readFileSync(path, 'utf8'))
      .find((each) => createHash('sha256').update(each).digest('hex') === sha256)
    return text === undefined ? [] : [{ format, text, beginning: bos }]
  })
}
