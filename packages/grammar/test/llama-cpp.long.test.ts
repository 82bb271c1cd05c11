import { describe, expect, it } from 'vitest'
import { shareOf } from '../../tidy/test/share.ts'
import { acceptText, compileGrammar } from '../src/index.ts'
import { type Addon, loadAddon } from './llama-cpp-addon.ts'
import { createRandom, randomGbnf, randomText } from './random-grammar.ts'

/*
 * Random grammars and texts, against llama.cpp itself. CALLSPEC_NODE_LLAMA_CPP is a folder in which
 * `npm install --ignore-scripts @node-llama-cpp/linux-x64` was run; the library needs no model.
 */
const addon = loadAddon(process.env['CALLSPEC_NODE_LLAMA_CPP'])

describe.skipIf(addon === null)('llama.cpp (skipped without CALLSPEC_NODE_LLAMA_CPP)', () => {
  // With other seeds a grammar was found (180) on which llama.cpp computes for hours: it copies stacks for each reading.
  it('reads and accepts 42,000 random grammars as we do, half of them faulty', { timeout: 3_600_000 }, () => {
    const wrong = Array.from({ length: shareOf(60) }, (_, index) => differences(101 + index)).flat()

    expect(wrong).toEqual([])
  })
})

function differences(seed: number): readonly unknown[] {
  const random = createRandom(seed)
  const wrong: unknown[] = []
  for (let grammars = 0; grammars < 700; grammars += 1) {
    const grammar = randomGbnf(random)
    const counts = [...grammar.matchAll(/\{\s*(\d+)\s*,\s*(\d+)\s*\}/g)]
    if (counts.some(([, min, max]) => Number(min) > Number(max))) continue
    const ours = compileGrammar('gbnf', grammar)
    // It would take all memory of llama.cpp.
    if (!ours.ok && ours.error.includes('takes all memory')) continue
    const theirs = read(grammar)
    if (ours.ok !== (theirs !== null)) wrong.push({ grammar, ours })
    if (!ours.ok || theirs === null) continue
    for (let texts = 0; texts < 20; texts += 1) {
      const text = randomText(random)
      if (acceptText(ours.grammar, text).accepted !== theirs.isTextCompatible(text)) wrong.push({ grammar, text })
    }
  }
  return wrong
}

function read(grammar: string): InstanceType<Addon['AddonGrammar']> | null {
  if (addon === null) return null
  try {
    return new addon.AddonGrammar(grammar)
  } catch {
    return null
  }
}
