import { createRequire } from 'node:module'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** What the library of llama.cpp has for grammars. */
export type Addon = { AddonGrammar: new (grammar: string) => { isTextCompatible: (text: string) => boolean } }

/** Loads the library of a folder in which `@node-llama-cpp/linux-x64` is installed; null without one. */
export function loadAddon(folder: string | undefined): Addon | null {
  if (folder === undefined || process.platform !== 'linux') return null
  const bins = join(folder, 'node_modules/@node-llama-cpp/linux-x64/bins')
  const [build] = readdirSync(bins)
  return build === undefined ? null : (createRequire(import.meta.url)(join(bins, build, 'llama-addon.node')) as Addon)
}
