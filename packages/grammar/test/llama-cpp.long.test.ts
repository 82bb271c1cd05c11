import { createRequire } from 'node:module'
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { shareOf } from '../../tidy/test/share.ts'
import { acceptText, compileGrammar } from '../src/index.ts'
import { createRandom, randomGbnf, randomText } from './random-grammar.ts'

/*
 * Random grammars and texts, against llama.cpp itself. CALLSPEC_NODE_LLAMA_CPP is a folder in which
 * `npm install --ignore-scripts @node-llama-cpp/linux-x64` was run; the library needs no model.
 */
type Addon = { AddonGrammar: new (grammar: string) => { isTextCompatible: (text: string) => boolean } }

const addon = loadAddon(process.env['CALLSPEC_NODE_LLAMA_CPP'])

describe.skipIf(addon === null)('llama.cpp (skipped without CALLSPEC_NODE_LLAMA_CPP)', () => {
  it('reads and accepts 20,000 random grammars as we do', { timeout: 3_600_000 }, () => {
    const random = createRandom(34)
    const wrong: unknown[] = []

    for (let grammars = 0; grammars < shareOf(20_000);) {
      const grammar = randomGbnf(random)
      const ours = compileGrammar('gbnf', grammar)
      // Both would take all memory of llama.cpp.
      if (!ours.ok && /takes all memory|minimum above/.test(ours.error)) continue
      const theirs = read(grammar)
      if (ours.ok !== (theirs !== null)) wrong.push({ grammar, ours })
      if (!ours.ok || theirs === null) continue
      grammars += 1
      for (let texts = 0; texts < 20; texts += 1) {
        const text = randomText(random)
        if (acceptText(ours.grammar, text).accepted !== theirs.isTextCompatible(text)) wrong.push({ grammar, text })
      }
    }

    expect(wrong).toEqual([])
  })
})

function read(grammar: string): InstanceType<Addon['AddonGrammar']> | null {
  if (addon === null) return null
  try {
    return new addon.AddonGrammar(grammar)
  } catch {
    return null
  }
}

function loadAddon(folder: string | undefined): Addon | null {
  if (folder === undefined || process.platform !== 'linux') return null
  const require = createRequire(join(folder, 'package.json'))
  const bins = join(dirname(require.resolve('@node-llama-cpp/linux-x64/package.json')), 'bins')
  const [build] = readdirSync(bins)
  return build === undefined ? null : (require(join(bins, build, 'llama-addon.node')) as Addon)
}
