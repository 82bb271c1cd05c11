import { resolve } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'

import { speakingEngine } from '../../conformance/test/helpers/speaking-engine.ts'
import type { Engine } from '../../conformance/test/helpers/speaking-engine.ts'
import { inProcess } from './helpers/in-process.ts'

let running: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of running) await each.close()
  running = []
})

const FIXTURES = resolve(import.meta.dirname, '../../../fixtures/nous/parse/basic.json')

async function said(engine: Engine, words: readonly string[]): Promise<Awaited<ReturnType<typeof inProcess>>> {
  const server = await speakingEngine(engine)
  running.push(server)
  const options = ['--format', 'nous', '--op', 'parse', '--cases', FIXTURES]
  return inProcess(['conformance', 'run', '--http', server.url, ...options, ...words])
}

describe('conformance run --http --say', () => {
  it('says the cases through the engine, and says how, under the name that it was given', async () => {
    const { code, stdout } = await said({ constrainedBy: 'guided_choice', showsTokens: true }, [
      ...['--say', 'auto', '--name', 'my engine'],
    ])

    expect(code).toBe(0)
    expect(stdout).toMatch(/^my engine unknown, protocol 1/m)
    expect(stdout).toMatch(/^said through "guided_choice", also with tools: \d+ texts, each seen to be the text/m)
    expect(stdout).toMatch(/^one token came at a time: /m)
    expect(stdout).toMatch(/\b\d+ passed, 0 failed, 0 errored, 0 skipped\n$/)
  })

  it('repeats --say on the line that runs a failed case again', async () => {
    const engine = { constrainedBy: 'grammar', showsTokens: true, refuses: refusesCalls } as const

    const { code, stdout } = await said(engine, ['--say', 'grammar', '--reads-text', '--id', '*#one call'])

    expect(code).toBe(1)
    expect(stdout).toMatch(/^ {2}replay {4}callspec .*--say grammar --reads-text --cases .* --id /m)
  })

  it('ends with exit code 3 when the engine dies in the middle, and the rest are errors', async () => {
    const { code, stdout, stderr } = await said({ constrainedBy: 'grammar', showsTokens: true, diesAfter: 8 }, [
      ...['--say', 'grammar'],
    ])

    expect(code).toBe(3)
    expect(stdout).toMatch(/\b[1-9]\d* passed, 0 failed, [1-9]\d* errored, 0 skipped\n$/)
    expect(stderr).toMatch(
      /^callspec: speaker is unavailable: http:\S+: the server closed the connection .* Start it again and repeat the run\.$/m,
    )
  })

  it.each([
    [['--say', 'loud'], 2, '--say "loud" is unknown. Known: auto, grammar, choice, regex, repeat.'],
    [
      ['--say', 'auto', '--upstream-port', '9'],
      2,
      '--say makes the engine generate texts, --upstream-port replaces the engine.',
    ],
    [['--reads-text'], 2, '--reads-text needs --say, which is not given.'],
    [['--max-tokens', '9'], 2, '--max-tokens needs --say, which is not given.'],
    [['--say', 'auto', '--name', ''], 2, '--name was given an empty text. Leave it out or name something.'],
    [['--say', 'choice'], 3, 'says no text that --say asks for. Tried structured_outputs.choice: had no effect'],
  ])('answers %j with one line', async (words, expected, line) => {
    const { code, stderr } = await said({ constrainedBy: 'grammar' }, words)

    expect(code).toBe(expected)
    expect(stderr).toContain(line)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })
})

function refusesCalls(text: string): string | null {
  return text.includes('clock') || text.includes('tool_call') ? `cannot read ${text}` : null
}
