import { readFile } from 'node:fs/promises'

/** The version in this package's package.json. */
export async function ownVersion(): Promise<string> {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8')
  const { version } = JSON.parse(text) as { readonly version: string }
  return version
}
