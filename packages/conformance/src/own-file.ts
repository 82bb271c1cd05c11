import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The path of a file that comes with this package, by its place in it: `package.json`. */
export function ownFile(place: string): string {
  folder ??= packageAbove(import.meta.dirname)
  return join(folder, place)
}

let folder: string | undefined

/** Modules stand at other depths in `src`, `dist` and in a published bundle. */
function packageAbove(start: string): string {
  let at = start
  while (!existsSync(join(at, 'package.json')) && dirname(at) !== at) at = dirname(at)
  return at
}
