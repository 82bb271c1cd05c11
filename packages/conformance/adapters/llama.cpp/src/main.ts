import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

import { messageOf, numberOf, readArguments, textOf } from './arguments.ts'
import { loadBinding } from './binding.ts'
import { createDoor } from './door.ts'
import { openEngine } from './engine.ts'
import { templateInGguf } from './template-in-gguf.ts'

const USAGE = 'usage: main.js --model FILE.gguf [--port N] [--template FILE] [--threads N] [--engine FOLDER]'

try {
  const given = readArguments(process.argv.slice(2), ['model', 'port', 'template', 'threads', 'engine'])
  const model = textOf(given, 'model')
  if (model === null) throw new Error(`--model is missing. ${USAGE}`)
  // The binding says of a missing file only that no context could be made.
  const bytes = readFileSync(model)
  if (bytes.subarray(0, 4).toString('latin1') !== 'GGUF') throw new Error(`${model}: is no GGUF file.`)
  const file = textOf(given, 'template')
  const { binding, version } = loadBinding(textOf(given, 'engine'))
  const engine = await openEngine({
    binding,
    model,
    template: file === null ? null : readFileSync(file, 'utf8'),
    ownTemplate: templateInGguf(bytes),
    // More threads than free processors make it crawl.
    threads: numberOf(given, 'threads', 1) ?? 1,
  })
  const server = createDoor({ engine, name: basename(model, '.gguf'), version })
  // One request is answered after the other: a connection that waits for its turn is not to be closed meanwhile.
  server.keepAliveTimeout = 600_000
  server.on('error', (error) => fatal(error))
  server.listen(numberOf(given, 'port', 0) ?? 8080, '127.0.0.1', () => {
    const address = server.address()
    process.stdout.write(`http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? '') : ''}/v1\n`)
  })
} catch (error) {
  fatal(error)
}

function fatal(error: unknown): void {
  process.stderr.write(`llama.cpp door: ${messageOf(error)}\n`)
  process.exitCode = 2
}
