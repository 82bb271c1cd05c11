// What the adapters of clients share: packages that a user installed, and a session that answers one stream after the other.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { answerLines } from '../npm-package.mjs'

/**
 * Loads a package from the folder that the first argument names. Ends the process with one line where it is not there.
 *
 * @returns its exports, and its version
 */
export async function installed(name) {
  const folder = resolve(process.argv[2] ?? '.', 'node_modules', name)
  let about
  try {
    about = JSON.parse(readFileSync(resolve(folder, 'package.json'), 'utf8'))
  } catch {
    process.stderr.write(`${folder}: is not there. Run: npm install --prefix FOLDER ${name}\n`)
    process.exit(1)
  }
  const file = entryOf(about.exports?.['.'] ?? about.exports) ?? about.module ?? about.main ?? 'index.js'
  return { version: about.version, ...(await import(pathToFileURL(resolve(folder, file)).href)) }
}

/** The file of the entry for `import` in Node. */
function entryOf(entry) {
  if (typeof entry === 'string' || entry === undefined) return entry
  for (const condition of ['node', 'import', 'default']) {
    const found = entryOf(entry[condition])
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Speaks the protocol.
 *
 * @param about name and version of the client
 * @param readers by API: `omits`, and `read`, which makes a request and gives `{items, finish, usage, error}`
 */
export async function serveClient(about, readers) {
  // A client may raise where no caller waits, too; that ends no process, and is part of what it says.
  let unhandled = null
  process.on('unhandledRejection', (error) => (unhandled ??= error))
  const supports = Object.entries(readers).map(([api, { omits = [] }]) => ({
    operations: ['client'],
    apis: [api],
    omits,
  }))
  await answerLines(async ({ cmd, seq, input }) => {
    if (cmd === 'start') return { protocol: 1, language: 'javascript', ...about, supports }
    unhandled = null
    try {
      const output = await readers[input.api].read(input)
      await new Promise((settle) => setImmediate(settle))
      return { seq, output: unhandled === null ? output : { ...output, error: output.error ?? errorText(unhandled) } }
    } catch (error) {
      return { seq, output: { items: [], error: errorText(error) } }
    }
  })
}

/** `TypeError: what happened`, in one line. */
export function errorText(error) {
  const name = error?.constructor?.name ?? 'Error'
  return `${name}: ${String(error?.message ?? error).replace(/\s+/g, ' ')}`
}
