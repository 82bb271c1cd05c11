import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The package, at whatever depth this module stands in it: in `src`, `dist` or a published bundle. */
const FOLDER: string = dirname(createRequire(import.meta.url).resolve('@callspec/eval/package.json'))

/** The path of a file that comes with this package, by its place in it: `package.json`. */
export function ownFile(place: string): string {
  return join(FOLDER, place)
}
