import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Every file of the project that a source reaches by its imports; packages are named as they are imported. */
export function reachable(source: string): readonly string[] {
  const seen = new Set<string>()
  const visit = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    if (!file.endsWith('.ts')) return
    for (const match of readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?'([^']+)'/g)) {
      const target = match[1] ?? ''
      visit(target.startsWith('.') ? join(dirname(file), target) : target)
    }
  }
  visit(fileURLToPath(new URL(`../src/${source}`, import.meta.url)))
  return [...seen]
}
