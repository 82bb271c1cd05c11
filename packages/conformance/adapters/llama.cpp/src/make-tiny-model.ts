import { readFileSync, writeFileSync } from 'node:fs'

import { messageOf, numberOf, readArguments, textOf } from './arguments.ts'
import { tinyModel } from './tiny-model.ts'
import { builtInTokenizer, readTokenizer, vocabularyOf } from './vocabulary.ts'

/** What the words of a command line ask for. */
const USAGE =
  'usage: make-tiny-model.js --output FILE.gguf [--tokenizer FOLDER] [--template FILE] [--keep N] [--marker TEXT]… [--bos TEXT] [--eos TEXT] [--pre NAME]'

const OWN_TEMPLATE = new URL('../chatml.jinja', import.meta.url)

try {
  const given = readArguments(process.argv.slice(2), [
    'output',
    'tokenizer',
    'template',
    'keep',
    'marker',
    'bos',
    'eos',
    'pre',
    'name',
  ])
  const output = textOf(given, 'output')
  if (output === null) throw new Error(`--output is missing. ${USAGE}`)
  const folder = textOf(given, 'tokenizer')
  // 256 single bytes are needed to say any text at all.
  const keep = numberOf(given, 'keep', 256)
  const files = folder === null ? builtInTokenizer(keep) : readTokenizer(folder)
  const markers = given['marker']
  const vocabulary = vocabularyOf(files, {
    keep,
    markers: Array.isArray(markers) ? (markers as readonly string[]) : [],
    beginning: textOf(given, 'bos') ?? undefined,
    end: textOf(given, 'eos') ?? undefined,
  })
  const path = textOf(given, 'template')
  const template = path === null ? (files.template ?? readFileSync(OWN_TEMPLATE, 'utf8')) : readFileSync(path, 'utf8')
  const name = textOf(given, 'name') ?? 'tiny'
  const bytes = tinyModel(vocabulary, { template, name, preTokenizer: textOf(given, 'pre') ?? 'qwen2' })
  writeFileSync(output, bytes)
  process.stdout.write(`${output}: ${vocabulary.texts.length} tokens, ${bytes.length} bytes\n`)
} catch (error) {
  process.stderr.write(`make-tiny-model: ${messageOf(error)}\n`)
  process.exitCode = 2
}
