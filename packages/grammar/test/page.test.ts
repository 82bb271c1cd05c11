import { readFileSync, writeFileSync } from 'node:fs'
import { formatNamed } from '@callspec/core'
import { expect, it } from 'vitest'
import { fewOf, onlyLong } from '../../tidy/test/share.ts'
import type { GrammarCheck } from '../src/index.ts'
import { SHIPPED_BY, SHIPPED_MODELS, checkGrammar, compileGrammar, readTools, shippedGrammar } from '../src/index.ts'

/*
 * The findings in the tags that xgrammar builds, as docs/grammars.md and docs/zh/grammars.md show them.
 * UPDATE_PAGES=1 npx vitest run packages/grammar/test/page.test.ts writes them again.
 */
const PAGES = [
  new URL('../../../docs/grammars.md', import.meta.url),
  new URL('../../../docs/zh/grammars.md', import.meta.url),
]
const [BEGIN, END] = ['<!-- findings -->\n', '<!-- /findings -->\n']
const IS_UPDATE = process.env['UPDATE_PAGES'] === '1'

const FORMATS: Readonly<Record<string, string>> = {
  deepseek_r1: 'deepseek-r1',
  deepseek_v3_1: 'deepseek-v3.1',
  deepseek_v3_2: 'deepseek-v3.2',
  deepseek_v4: 'deepseek-v4',
  glm_4_7: 'glm-4.7',
  harmony: 'harmony',
  kimi: 'kimi-k2',
  kimi_k3: 'kimi-k3',
  llama: 'llama3-json',
  minimax: 'minimax-m2',
  qwen_3: 'nous',
  qwen_3_5: 'qwen3.5',
  qwen_3_coder: 'qwen3-coder',
}
/** What the prompt opens, where the tag begins after it. */
const OPENED: Readonly<Record<string, string>> = { kimi_k3: '<|open|>response<|sep|>' }

const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more })
const TOOLS =
  readTools([
    {
      name: 'get_weather',
      parameters: object(
        { city: { type: 'string' }, days: { type: 'integer' }, unit: { type: 'string', enum: ['c', 'f'] } },
        { required: ['city'] },
      ),
    },
    { name: 'clock', parameters: object({}) },
    {
      name: 'put',
      parameters: object(
        {
          key: { type: 'string' },
          size: { type: 'number' },
          keep: { type: 'boolean' },
          tags: { type: 'array', items: { type: 'string' } },
          place: object({ x: { type: 'integer' } }, { required: ['x'] }),
        },
        { required: ['key'], additionalProperties: false },
      ),
    },
  ]) ?? []

type Row = { readonly model: string; readonly choice: 'auto' | 'required'; readonly check: GrammarCheck }

function rowOf(model: string, choice: Row['choice']): Row | null {
  const format = formatNamed(FORMATS[model] ?? '')
  if (format === null) return null
  const tag = compileGrammar('structural_tag', shippedGrammar(model, { tools: TOOLS, choice, reasoning: false }))
  if (!tag.ok) throw new Error(tag.error)
  const opened = OPENED[model]
  const template = opened === undefined ? null : { write: () => null, prompt: opened }
  const plain = { parallel: true, reasoning: false, startOf: null, before: '', walks: 300 }
  return {
    model,
    choice,
    check: checkGrammar({ ...plain, grammar: tag.grammar, format, tools: TOOLS, choice, template }),
  }
}

const sum = (check: GrammarCheck, kind: string): number =>
  check.findings.filter((one) => one.kind === kind).reduce((total, { count }) => total + count, 0)

function summary({ model, choice, check }: Row): string {
  return `| \`${model}\` | ${FORMATS[model] ?? ''} | ${choice} | ${sum(check, 'refused')} of ${check.written} | ${sum(check, 'unread')} of ${check.walked} |\n`
}

function details({ model, choice, check }: Row): string {
  const findings = check.findings.map(
    ({ kind, about, text }) =>
      `- ${kind === 'refused' ? `refused (${about})` : `accepted, but ${about}`}:\n\n  \`\`\`json\n  ${JSON.stringify(text)}\n  \`\`\`\n`,
  )
  return findings.length === 0 ? '' : `\n#### ${model}, ${choice}\n\n${findings.join('\n')}`
}

function section(rows: readonly Row[]): string {
  const head = `${SHIPPED_BY}, three tools, 300 random texts each.\n\n| model | format | choice | refused | unread |\n| --- | --- | --- | --- | --- |\n`
  return `${BEGIN}\n${head}${rows.map(summary).join('')}${rows.map(details).join('')}\n${END}`
}

const wanted = SHIPPED_MODELS.flatMap((model) => [[model, 'auto'] as const, [model, 'required'] as const])

it('the page has the figures of some shipped tags', () => {
  for (const [model, choice] of fewOf(wanted, 3)) {
    const row = rowOf(model, choice)
    if (row !== null)
      for (const page of PAGES) expect(tidyTable(readFileSync(page, 'utf8'))).toContain(tidyTable(summary(row)))
  }
})

// The formatter pads the cells of a table.
const tidyTable = (text: string): string => text.replace(/ +/g, ' ').replace(/-{3,}/g, '---')

const whole = (): void => {
  it('the pages have all findings', { timeout: 600_000 }, () => {
    const text = section(wanted.flatMap(([model, choice]) => rowOf(model, choice) ?? []))

    for (const page of PAGES) {
      const old = readFileSync(page, 'utf8')
      const [from, to] = [old.indexOf(BEGIN), old.indexOf(END) + END.length]
      if (IS_UPDATE) writeFileSync(page, old.slice(0, from) + text + old.slice(to))
      else expect(tidyTable(old.slice(from, to))).toBe(tidyTable(text))
    }
  })
}
if (IS_UPDATE) whole()
else onlyLong(whole)
