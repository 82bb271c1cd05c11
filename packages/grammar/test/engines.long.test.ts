import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Format, FORMATS } from '@callspec/core'
import { describe, expect, it } from 'vitest'
import { someOf } from '../../tidy/test/share.ts'
import {
  type CompiledGrammar,
  type ExportRequest,
  type ExportSyntax,
  acceptText,
  compileGrammar,
  exportGrammar,
} from '../src/index.ts'
import { sampleReplies } from '../src/sample-calls.ts'
import { formatWriter } from '../src/template-texts.ts'
import { createRandom, createWalker } from '../src/walk.ts'
import { EXPORT_TOOLS } from './export-tools.ts'
import { loadAddon } from './llama-cpp-addon.ts'

/*
 * Exports, read by the real engines. CALLSPEC_XGRAMMAR is a Python in which `pip install xgrammar` was run (without torch: `--no-deps`,
 * with apache-tvm-ffi, numpy and pydantic); CALLSPEC_LLGUIDANCE one in which `pip install llguidance` was run; CALLSPEC_NODE_LLAMA_CPP as in
 * llama-cpp.long.test.ts.
 */
const XGRAMMAR = process.env['CALLSPEC_XGRAMMAR']
const LLGUIDANCE = process.env['CALLSPEC_LLGUIDANCE']
const addon = loadAddon(process.env['CALLSPEC_NODE_LLAMA_CPP'])

const USES: readonly Omit<ExportRequest, 'tools' | 'syntax'>[] = [
  { choice: 'auto', parallel: true, reasoning: false },
  { choice: 'auto', parallel: false, reasoning: false },
  { choice: 'auto', parallel: true, reasoning: true },
  { choice: 'required', parallel: true, reasoning: false },
  { choice: { name: 'put' }, parallel: false, reasoning: false },
  { choice: 'none', parallel: true, reasoning: false },
]

type Sample = {
  readonly id: string
  readonly grammar: object | string
  readonly texts: readonly string[]
  readonly ours: readonly (true | number)[]
}

describe.skipIf(XGRAMMAR === undefined)('xgrammar (skipped without CALLSPEC_XGRAMMAR)', () => {
  it('accepts and refuses texts of all exports at the same byte', { timeout: 3_600_000 }, () => {
    const samples = samplesIn('structural-tag')
    const lines = samples.map(({ grammar, texts }) => ({ tag: grammar, texts }))

    const answers = answersOf(XGRAMMAR ?? '', 'xgrammar-verdicts.py', lines)
    expect(answers).toEqual(samples.map(({ ours }) => ({ verdicts: ours })))
  })
})

describe.skipIf(LLGUIDANCE === undefined)('llguidance (skipped without CALLSPEC_LLGUIDANCE)', () => {
  it('accepts and refuses texts of all exports at the same character', { timeout: 3_600_000 }, () => {
    const samples = samplesIn('lark')
    const lines = samples.map(({ grammar, texts }) => ({ lark: grammar, texts }))

    const answers = answersOf(LLGUIDANCE ?? '', 'llguidance-verdicts.py', lines) as readonly Answer[]
    const verdicts = answers.map((answer, index) =>
      answer.verdicts.map((verdict, at) => startOfCharacter(samples[index]?.texts[at] ?? '', verdict)),
    )
    expect(verdicts).toEqual(samples.map(({ ours }) => ours))
  })
})

describe.skipIf(addon === null)('llama.cpp (skipped without CALLSPEC_NODE_LLAMA_CPP)', () => {
  it('accepts and refuses texts of all exports', { timeout: 3_600_000 }, () => {
    const wrong = samplesIn('gbnf').flatMap(({ id, grammar, texts, ours }) => {
      const theirs = addon && typeof grammar === 'string' ? new addon.AddonGrammar(grammar) : null
      const different = texts.filter((text, at) => theirs?.isTextCompatible(text) !== (ours[at] === true))
      return different.map((text) => ({ id, text }))
    })

    expect(wrong).toEqual([])
  })
})

type Answer = { readonly verdicts: readonly (true | number)[] }

/** The offset of the character that a refused byte belongs to: GBNF refuses whole characters. */
function startOfCharacter(text: string, verdict: true | number): true | number {
  if (verdict === true) return true
  const bytes = new TextEncoder().encode(text)
  let at = verdict
  while (((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1
  return at
}

function answersOf(python: string, script: string, lines: readonly object[]): readonly unknown[] {
  const path = fileURLToPath(new URL(`../scripts/${script}`, import.meta.url))
  const input = lines.map((line) => JSON.stringify(line)).join('\n')
  const run = spawnSync(python, [path], { input, encoding: 'utf8', maxBuffer: 1 << 28 })
  const answers = run.stdout.trim().split('\n')
  expect(answers.length, run.stderr).toBe(lines.length)
  return answers.map((line) => JSON.parse(line) as unknown)
}

/** Exports with texts of the writer, random ones, and the same with a change. */
function samplesIn(syntax: ExportSyntax): readonly Sample[] {
  const wanted = FORMATS.flatMap((format) => USES.map((use) => [format, use] as const))
  return someOf(wanted).flatMap(([format, use]): readonly Sample[] => {
    const result = exportGrammar(format, { ...use, tools: EXPORT_TOOLS, syntax })
    if (!result.ok) return []
    const read = syntax === 'lark' ? exportGrammar(format, { ...use, tools: EXPORT_TOOLS, syntax: 'gbnf' }) : result
    const compiled = compileGrammar(syntax === 'structural-tag' ? 'structural_tag' : 'gbnf', read.ok && read.grammar)
    if (!compiled.ok) throw new Error(`${format.id}: ${compiled.error}`)
    const texts = textsOf(format, use, compiled.grammar)
    const ours = texts.map((text) => {
      const verdict = acceptText(compiled.grammar, text)
      return verdict.accepted ? true : verdict.at
    })
    return [{ id: `${format.id} ${JSON.stringify(use)}`, grammar: result.grammar, texts, ours }]
  })
}

function textsOf(format: Format, use: (typeof USES)[number], grammar: CompiledGrammar): readonly string[] {
  const random = createRandom(3)
  const walker = createWalker(grammar.rules)
  const write = formatWriter(format, (value) => JSON.stringify(value))
  const wants = { thoughts: use.reasoning, several: use.parallel, prose: true }
  const written = sampleReplies(EXPORT_TOOLS, wants).map((reply) => write(reply) ?? '')
  const walked = Array.from({ length: 24 }, () => walker?.(random) ?? '')
  const whole = [...new Set([...written, ...walked])].filter((text) => !/[\ud800-\udfff]/u.test(text))
  const changed = whole.slice(0, 80).flatMap((text) => {
    const letters = [...text]
    const at = random(Math.max(1, letters.length))
    return [letters.toSpliced(at, 1), letters.slice(0, at), letters.toSpliced(at, 0, '<')].map((one) => one.join(''))
  })
  return [...new Set([...whole, ...changed])]
}
