import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

const BUILT = new Set(['node_modules', 'dist', 'publish', 'coverage', '.git'])
const COPIED = /^(?:packages\/[^/]+\/data|reports\/.+)$/

/** Files of the repository below `folder`, without what a build, an install or a run has put there. */
export function files(folder: string, pattern: RegExp = /./): readonly string[] {
  const found: string[] = []
  for (const name of readdirSync(join(ROOT, folder)).toSorted()) {
    const path = join(folder, name)
    if (BUILT.has(name) || (COPIED.test(path) && name !== 'README.md')) continue
    if (statSync(join(ROOT, path)).isDirectory()) found.push(...files(path, pattern))
    else if (pattern.test(path)) found.push(path)
  }
  return found
}

export function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

/** A source without comments, and with every text, template and regular expression emptied. */
export function bareCode(path: string): string {
  const pieces =
    /\/\*[^]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[^]|[^`\\])*`|(?<=[(,=:[!&|?{};\n]\s*|return )\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/g
  return read(path).replace(pieces, (piece) => (/^\/[/*]/.test(piece) ? '' : "''"))
}

/** What a source imports, re-exports or loads, as written. */
export function importsOf(path: string): readonly string[] {
  const statements = /^(?:(?:import|export)\b[^'\n]* from|\} from|import) '([^'\n]+)'|\bimport\('([^'\n]+)'\)/gm
  return Array.from(read(path).matchAll(statements), (match) => match[1] ?? match[2] ?? '')
}

/** `file:line` of every match of `pattern` in the bare code of the files. */
export function places(paths: readonly string[], pattern: RegExp): readonly string[] {
  return paths.flatMap((path) => lines(path, bareCode(path), pattern))
}

/** `file:line` of every match of `pattern` in the files as they stand. */
export function mentions(paths: readonly string[], pattern: RegExp): readonly string[] {
  return paths.flatMap((path) => lines(path, read(path), pattern))
}

function lines(path: string, text: string, pattern: RegExp): readonly string[] {
  if (!pattern.test(text)) return []
  return text.split('\n').flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : []))
}

/** Names that `index.ts` hands out, each with the file that declares it. */
export function exportsOf(index: string): readonly { name: string; path: string }[] {
  return Array.from(read(index).matchAll(/export (?:type )?\{([^}]*)\} from '(\.[^']+)'/g)).flatMap((match) => {
    const path = relative(ROOT, join(ROOT, dirname(index), match[2] ?? ''))
    const names = (match[1] ?? '').split(',').map((entry) =>
      entry
        .trim()
        .replace(/^type /, '')
        .replace(/ as .*/, ''),
    )
    return names.filter((name) => name !== '').flatMap((name) => declarations(name, path))
  })
}

/** A file may hand on what another one declares. */
function declarations(name: string, path: string): readonly { name: string; path: string }[] {
  const handedOn = exportsOf(path).filter((entry) => entry.name === name)
  return handedOn.length > 0 ? handedOn : [{ name, path }]
}

/** Whether the declaration of an export has a doc comment directly before it. */
export function isDocumented({ name, path }: { name: string; path: string }): boolean {
  const declaration = `export (?:declare )?(?:async )?(?:function\\*?|const|class|interface|type) ${name}\\b`
  return new RegExp(`\\*/\\n(?://.*\\n)*${declaration}`).test(read(path))
}

/** Texts of 24 characters and more in the inputs of a fixture file's cases. */
export function inputTexts(path: string): readonly string[] {
  const content: unknown = JSON.parse(read(path))
  const cases = isRecord(content) && Array.isArray(content['cases']) ? content['cases'] : []
  return cases.flatMap((entry) => (isRecord(entry) ? textsIn(entry['input']) : [])).filter((text) => text.length >= 24)
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
