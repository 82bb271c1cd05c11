import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

import { HAS_PYTHON, installedEngine } from './helpers/python-engine.ts'

const ADAPTERS = resolve(import.meta.dirname, '../adapters')
const LISTS = join(ADAPTERS, 'python-engines/parser-lists')

/** What `list_parsers.py` prints. */
interface ParserList {
  readonly engine: string
  readonly version: string
  readonly stubs: readonly string[]
  readonly tool: Readonly<Record<string, true | string>>
  readonly reasoning: Readonly<Record<string, true | string>>
}

/** A list of an engine with its real dependencies, and whether its parsers load with stubs. */
interface KeptList extends ParserList {
  readonly checked: string
  readonly torch: string
}

interface EngineFile {
  readonly versions: readonly { readonly version: string }[]
  readonly pairs: readonly { readonly parser: string; readonly versions?: readonly string[] }[]
  readonly notAsked: readonly { readonly parser: string }[]
}

const kept = readdirSync(LISTS).map((name) => JSON.parse(readFileSync(join(LISTS, name), 'utf8')) as KeptList)

describe('parsers that load with the real torch', () => {
  it.each(kept)('$engine $version: all that its pairs name are among them', ({ engine, version, tool, reasoning }) => {
    const file = JSON.parse(readFileSync(join(ADAPTERS, engine, 'engine.json'), 'utf8')) as EngineFile

    expect(file.versions.map((each) => each.version)).toContain(version)
    for (const { parser, versions = [version] } of file.pairs) {
      if (!versions.includes(version)) continue
      const [ofTools = '', ofThoughts = ''] = parser.split('+')
      if (ofTools !== '') expect([parser, tool[ofTools]]).toEqual([parser, true])
      if (ofThoughts !== '') expect([parser, reasoning[ofThoughts]]).toEqual([parser, true])
    }
  })

  it.each(kept)(
    '$engine $version: each of them is asked, or it is said why not',
    ({ engine, version, tool, reasoning }) => {
      const file = JSON.parse(readFileSync(join(ADAPTERS, engine, 'engine.json'), 'utf8')) as EngineFile
      const asked = file.pairs.filter(({ versions = [version] }) => versions.includes(version))
      const said = [...asked, ...file.notAsked].flatMap(({ parser }) => parser.split(/ \/ |\+/))

      expect([...Object.keys(tool), ...Object.keys(reasoning)].filter((name) => !said.includes(name))).toEqual([])
    },
  )

  it.for(kept)(
    '$engine $version: the same load with import stubs (needs CALLSPEC_ENGINES with its row)',
    ({ engine, version, tool, reasoning }, context) => {
      const row = installedEngine(engine, [version])
      if (!HAS_PYTHON || row === null || existsSync(join(row, 'torch'))) return context.skip()
      const ended = spawnSync('python3', ['-W', 'ignore', join(ADAPTERS, 'python-engines/list_parsers.py'), engine], {
        encoding: 'utf8',
        env: { ...process.env, PYTHONPATH: row, PYTHONDONTWRITEBYTECODE: '1' },
      })

      const stubbed = JSON.parse(ended.stdout) as ParserList
      expect(stubbed.stubs).toContain('torch')
      expect({ tool: stubbed.tool, reasoning: stubbed.reasoning }).toEqual({ tool, reasoning })
    },
  )
})
