// What adapters of npm packages share: the package that a user installed, and a session with the runner of callspec.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'

/**
 * The version of a package in the folder that the first argument names, or next to the adapter; whether it has a file, and what loads one.
 * The folder may be that of the package itself, built from its sources. Ends the process with one line where it is not there.
 *
 * @param install what `npm install --prefix FOLDER` is given
 */
export function installedPackage(name, install) {
  const given = resolve(process.argv[2] ?? dirname(process.argv[1]))
  const folder = isPackage(given, name) ? given : resolve(given, 'node_modules', name)
  if (!existsSync(folder)) {
    process.stderr.write(`${folder}: is not there. Run: npm install --prefix FOLDER ${install}\n`)
    process.exit(1)
  }
  const { version } = JSON.parse(readFileSync(resolve(folder, 'package.json'), 'utf8'))
  return {
    version,
    has: (file) => existsSync(resolve(folder, file)),
    load: (file) => import(pathToFileURL(resolve(folder, file)).href),
  }
}

function isPackage(folder, name) {
  try {
    return JSON.parse(readFileSync(resolve(folder, 'package.json'), 'utf8')).name === name
  } catch {
    return false
  }
}

/** Answers line by line until the runner says `stop`. A request that wants no answer is answered with null. */
export async function answerLines(answerTo) {
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line)
    if (request.cmd === 'stop') break
    const message = await answerTo(request)
    if (message !== null) process.stdout.write(`${JSON.stringify(message)}\n`)
  }
}
