import { readFileSync, writeFileSync } from 'node:fs'
import type { Played } from './play-page.ts'

/**
 * With `UPDATE_PAGES=1` a page gets what its commands print now, and the difference is for whoever looks at the change;
 * otherwise nothing happens.
 */
export function updatePage(path: string, { steps, printed }: Played): void {
  if (process.env['UPDATE_PAGES'] !== '1') return
  let rest = readFileSync(path, 'utf8')
  let done = ''
  for (const [index, { command, output }] of steps.entries()) {
    const shown = `$ ${command}\n${output}`
    const at = rest.indexOf(shown)
    if (at < 0) continue
    done += `${rest.slice(0, at)}$ ${command}\n${printed[index]?.output ?? output}`
    rest = rest.slice(at + shown.length)
  }
  writeFileSync(path, done + rest)
}
