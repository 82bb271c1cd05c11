import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

import { describe, expect, it } from 'vitest'

import { operations, builtInImplementation } from '../src/built-in/implementation.ts'
import { findCaseFiles, isCoarse, readCases, readTaxonomy, reasonOf, runSuite } from '../src/index.ts'
import { casesOf, OPERATIONS, PROGRAMS, REPOSITORY } from './helpers/cases.ts'

const implementation = builtInImplementation()
const FORMATS = Object.keys(readTaxonomy().formats)

describe('the built-in implementation answers as the reference did', () => {
  it.each(OPERATIONS)('%s', async (op) => {
    const problems: string[] = []
    let passed = 0

    for await (const { case: item, verdict } of runSuite(await casesOf(op), implementation)) {
      if (verdict.kind === 'passed') passed += 1
      else problems.push(`${verdict.kind} ${item.id} (${item.profile}): ${reasonOf(verdict)}`)
    }

    expect(problems).toEqual([])
    expect(passed).toBeGreaterThan(0)
  })
})

/** Keys whose values the functions of Qwen-Agent know by themselves. */
const WITH_DEFAULT: { readonly [op: string]: readonly string[] } = {
  'qwen.preprocess': ['parallel_function_calls', 'function_choice'],
  'nous.preprocess': ['parallel_function_calls', 'function_choice'],
  'qwen.postprocess': ['parallel_function_calls', 'function_choice'],
  'nous.postprocess': ['parallel_function_calls', 'function_choice', 'thought_in_content'],
  'qwen.train_sample': ['lang', 'parallel_function_calls'],
  'chat.prepare': ['functions', 'stream', 'delta_stream', 'extra_generate_cfg'],
  'multimodal.format': ['lang'],
  'text.format': ['lang'],
  'text.extract': ['lang'],
  'tokenizer.truncate': ['start_token', 'keep_both_sides'],
  'chatml.render': ['allow_special', 'default_system'],
  'assistant.knowledge_prompt': ['lang'],
  'keygen.prompt': ['lang'],
  json_dumps: ['indent', 'ensure_ascii'],
  py_strip: ['mode', 'chars'],
}

describe('the recorded cases', () => {
  it('are as many as golden/README.md says, under every profile', async () => {
    const counted = new Map<string, number>()
    const ids = new Set<string>()
    let cases = 0

    for (const folder of [...PROGRAMS, ...FORMATS]) {
      const files = await findCaseFiles([resolve(REPOSITORY, 'fixtures', folder)])
      for await (const { id, profile, format, op } of readCases(files)) {
        const column = isCoarse(op) && format !== undefined ? `${profile}, formats` : profile
        counted.set(column, (counted.get(column) ?? 0) + 1)
        ids.add(id)
        cases += 1
      }
    }

    if (process.env['UPDATE_PAGES'] === '1') writeStrictCount(counted.get('strict, formats') ?? 0)
    expect(new Map([...counted].sort())).toEqual(new Map([...countsInReadme()].sort()))
    expect(ids.size).toBe(cases)
  })

  it('leave out each key for which the reference has a default', async () => {
    const leftOut = await Promise.all(
      Object.entries(WITH_DEFAULT).flatMap(([op, keys]) =>
        keys.map(async (key) => {
          const cases = await casesOf(op)
          return [op, key, cases.some(({ input }) => !input.has(key))] as const
        }),
      ),
    )

    expect(leftOut.filter(([, , isLeftOut]) => !isLeftOut)).toEqual([])
  })

  it('have a fixture for every golden file and a golden file for every fixture', () => {
    const files = (folder: string): readonly string[] =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()

    for (const program of [...PROGRAMS, ...FORMATS]) {
      expect(files(resolve(REPOSITORY, 'golden', program))).toEqual(files(resolve(REPOSITORY, 'fixtures', program)))
    }
  })

  it('ask for operations that are known, and leave none without a case', () => {
    const fine = [...operations.keys()].filter((op) => !isCoarse(op))

    expect(fine.sort()).toEqual(OPERATIONS)
  })
})

/** The tables of golden/README.md: the only place of these numbers. */
/** New cases under `strict` are added often; recorded answers are counted by hand, with the run that gave them. */
function writeStrictCount(count: number): void {
  const path = resolve(REPOSITORY, 'golden/README.md')
  const grouped = String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ' ')
  const readme = readFileSync(path, 'utf8')
  writeFileSync(path, readme.replace(/^(Under `strict` there are )[\d ]+(?= answers)/m, `$1${grouped}`))
}

function countsInReadme(): ReadonlyMap<string, number> {
  const readme = readFileSync(resolve(REPOSITORY, 'golden/README.md'), 'utf8')
  const rows = [...readme.matchAll(/^\| (main|v[\d.]+|metagpt@\S+) \|.*?\|.*?\| ([\d ]+?) \|(?: ([\d ]+?) \|)?$/gm)]
  const others = [...readme.matchAll(/^Under `(strict|lenient:\S+|chat-template@\S+)` there are ([\d ]+) answers/gm)]
  const columns = rows.flatMap(([, profile = '', own = '', ofFormats = '0']) => [
    [profile, own] as const,
    [`${profile}, formats`, ofFormats] as const,
  ])
  const named = [...readme.matchAll(/^\| (chat-template@\S+|[a-z][a-z0-9.-]+) \|.*\| (\d+) \|$/gm)]
  const all = [
    ...columns,
    ...[...others, ...named].map(([, name = '', count = '']) => [`${name}, formats`, count] as const),
  ]
  return new Map(all.map(([name, text]) => [name, Number(text.replaceAll(' ', ''))] as const).filter(([, n]) => n > 0))
}
