import { createContext, runInContext } from 'node:vm'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { describe, expect, it } from 'vitest'

const INDEX = fileURLToPath(new URL('../src/index.ts', import.meta.url))

async function bundled(): Promise<string> {
  const bundle = await rolldown({
    input: INDEX,
    platform: 'browser',
    resolve: { conditionNames: ['@callspec/source', 'import', 'default'] },
    onLog: (_, log) => {
      throw new Error(log.message)
    },
  })
  const { output } = await bundle.generate({ format: 'iife', name: 'callspec' })
  return output[0].code
}

describe('the package in a browser', () => {
  it('needs nothing that a page has not: no module of Node, no process, no evaluation of texts', async () => {
    const code = await bundled()
    const page = createContext({}, { codeGeneration: { strings: false, wasm: false } })

    const text: unknown = runInContext(
      `${code}; JSON.stringify(callspec.compileTemplate("{{ a|tojson }} {{ strftime_now('%Y') }}").render('{"a": [1.0]}', { now: new Date(0) }))`,
      page,
    )

    expect(text).toBe('{"kind":"rendered","text":"[1.0] 1970"}')
    expect(code).not.toMatch(/["'`]node:|\brequire\(/)
  })
})
