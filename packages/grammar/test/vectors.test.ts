import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { fewOf } from '../../tidy/test/share.ts'
import type { GrammarKind, GrammarResult } from '../src/index.ts'
import { acceptText, compileGrammar } from '../src/index.ts'

const FOLDER = new URL('../../../../shared/vectors/grammars/', import.meta.url)

type Given = { id: string; kind: GrammarKind; grammar: unknown; lazy?: boolean; before?: string }
type Line = {
  grammar: string
  text: string
  engine?: string
  accepted: boolean
  at?: number
  incomplete?: boolean
  from?: number
}
type Feature = {
  name: string
  tag?: unknown
  grammar?: string
  texts?: readonly Omit<Line, 'grammar'>[]
  error?: string
}

const lines = (file: string): readonly unknown[] =>
  readFileSync(new URL(file, FOLDER), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)

describe.skipIf(!existsSync(FOLDER))('verdicts of real engines (skipped without ../shared)', () => {
  const files = existsSync(FOLDER)
    ? readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl') && !/features|grammars|written/.test(name))
    : []

  it.each(files)('%s: every text is accepted, or refused at the same byte', (file) => {
    const grammars = new Map((lines('grammars.jsonl') as Given[]).map((one) => [one.id, one]))
    const compiled = new Map<string, GrammarResult>()

    const wrong = fewOf(lines(file) as Line[], 60).filter((line) => {
      const given = grammars.get(line.grammar)
      if (given === undefined) return true
      const result = compiled.get(line.grammar) ?? compileGrammar(given.kind, given.grammar)
      compiled.set(line.grammar, result)
      return !result.ok || !isSame(result, line, given)
    })

    expect(wrong).toEqual([])
  })

  it.each(['structural-tag-features.jsonl', 'gbnf-features.jsonl'])('%s: every feature and error', (file) => {
    const wrong = (lines(file) as Feature[]).filter(({ tag, grammar, texts, error }) => {
      const result = tag === undefined ? compileGrammar('gbnf', grammar) : compileGrammar('structural_tag', tag)
      if (!result.ok) return error === undefined
      return error !== undefined || !(texts ?? []).every((text) => isSame(result, text, {}))
    })

    expect(wrong).toEqual([])
  })
})

/** A lazy grammar holds from the character `from` on; one that is not lazy begins with the generation prompt. */
function isSame(
  result: GrammarResult & { ok: true },
  line: Omit<Line, 'grammar'>,
  { lazy = false, before = '' }: Partial<Given>,
): boolean {
  const skipped = lazy ? [...line.text].slice(0, line.from ?? 0).join('') : ''
  // llama.cpp takes gpt-oss's <|call|> for the end of the turn, not for text.
  const text = line.engine?.startsWith('llama.cpp') === true ? line.text.replace(/<\|call\|>$/, '') : line.text
  const prefix = lazy ? '' : before
  const verdict = acceptText(result.grammar, prefix + text.slice(skipped.length))
  if (verdict.accepted || line.accepted) return verdict.accepted === line.accepted
  const at = verdict.at - Buffer.byteLength(prefix) + Buffer.byteLength(skipped)
  return at === line.at && verdict.incomplete === (line.incomplete ?? false)
}
