import { FORMAT_IDS } from '@callspec/core/formats'
import { describe, expect, it } from 'vitest'
import { parseArguments } from '../src/arguments.ts'
import type { Command, OptionSpec } from '../src/command.ts'
import { COMMANDS } from '../src/commands.ts'
import { messageOf } from '../src/usage-error.ts'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'

const LOADED = await Promise.all(COMMANDS.map(({ load }) => load()))

/** What prints no result as JSON, and why. */
const WITHOUT_JSON: Readonly<Record<string, string>> = {
  completion: 'the script is the result',
  harness: 'speaks the protocol, which is JSON',
  init: 'writes files',
  new: 'writes files',
  playground: 'serves a page, or writes it',
  render: 'a prompt is printed byte for byte; --as messages and --as parts are JSON',
  tutorial: 'the document is the result',
  view: 'serves pages',
}

/** Where one format is asked for one thing. */
const ONE_FORMAT: readonly string[] = ['doctor', 'golden', 'grammar', 'parse', 'render', 'score', 'template']

/**
 * With a value in one command, and without in another: `conformance run --json FILE`, `golden --module FILE`, `--one-shot COMMAND`,
 * `template lint --response-template FILE`, `template parse --stream N`.
 */
const OF_TWO_KINDS: readonly string[] = ['json', 'module', 'one-shot', 'response-template', 'stream']

interface Declared {
  readonly command: Command
  readonly name: string
  readonly spec: OptionSpec
}

const ALL: readonly Declared[] = LOADED.flatMap((command) =>
  Object.entries(command.options).map(([name, spec]) => ({ command, name, spec })),
)

const named = (name: string): readonly Declared[] => ALL.filter((each) => each.name === name)

/** Two neighbouring letters in the middle swapped. */
function misspelt(word: string): string {
  const at = Math.max(0, Math.floor(word.length / 2) - 1)
  return `${word.slice(0, at)}${word[at + 1] ?? ''}${word[at] ?? ''}${word.slice(at + 2)}`
}

function fault(command: Command, words: readonly string[]): string {
  const subcommand = command.worksAlone === true ? [] : Object.keys(command.subcommands ?? {}).slice(0, 1)
  try {
    parseArguments(command, [...subcommand, ...words])
    return ''
  } catch (error) {
    return messageOf(error)
  }
}

describe('every command', () => {
  it.each(LOADED.map((command) => [command.name, command] as const))(
    '%s prints JSON with --json alone, or its result is a text',
    (name, command) => {
      const { json } = command.options

      expect(json === undefined).toBe(Object.hasOwn(WITHOUT_JSON, name))
      if (json !== undefined) expect(json.value === undefined || json.whenBare === '-').toBe(true)
      if (json !== undefined) expect(fault(command, ['--json'])).toBe('')
    },
  )

  it('takes several formats, repeated or separated by commas, wherever several make sense', () => {
    const formats = named('format')

    expect(
      formats
        .filter(({ spec }) => spec.repeat !== true)
        .map(({ command }) => command.name)
        .toSorted(),
    ).toEqual(ONE_FORMAT)
    for (const { command, spec } of formats) {
      expect([command.name, spec.isList === true, spec.value]).toEqual([
        command.name,
        spec.repeat === true,
        spec.repeat === true ? 'NAMES' : 'NAME',
      ])
      const { options } = parseArguments(command, [
        ...Object.keys(command.subcommands ?? {}).slice(0, 1),
        ...(spec.repeat === true ? ['--format', 'nous,react', '--format', 'qwen'] : ['--format', 'nous']),
      ])
      expect(options.list('format')).toEqual(spec.repeat === true ? ['nous', 'react', 'qwen'] : ['nous'])
    }
  })

  it('offers formats, models and runs to the shell after the options that take them', () => {
    for (const { command, spec } of named('format')) {
      const offered = spec.choices ?? spec.suggested ?? []
      expect([command.name, offered.length > 20, offered.includes(FORMAT_IDS[0] ?? '')]).toEqual([
        command.name,
        true,
        true,
      ])
    }
    for (const { command, name, spec } of ALL.filter(({ spec: { value } }) => value === 'RUN'))
      expect([command.name, name, spec.takesRun]).toEqual([command.name, name, true])
    expect(named('model').some(({ spec }) => (spec.suggested ?? []).includes('sim/perfect'))).toBe(true)
  })

  it('answers a misspelt choice with the one that was meant, of a list each one', () => {
    const chosen = ALL.filter(({ spec }) => spec.choices !== undefined)

    expect(chosen.length).toBeGreaterThan(30)
    for (const { command, name, spec } of chosen) {
      const known = spec.choices ?? []
      for (const choice of known.filter((each) => each.length > 1 && !known.includes(misspelt(each)))) {
        const value = spec.isList === true ? `${known[0] ?? ''},${misspelt(choice)}` : misspelt(choice)
        const message = fault(command, [`--${name}`, value])
        expect([command.name, name, choice, message]).toEqual([
          command.name,
          name,
          choice,
          expect.stringMatching(/ is unknown\. Did you mean [^ ]+\? Known: /),
        ])
      }
    }
  })

  it('has options of one name alike: with the same letter, of the same kind', () => {
    for (const name of new Set(ALL.map((each) => each.name))) {
      if (OF_TWO_KINDS.includes(name)) continue
      const alike = named(name).map(({ spec }) => JSON.stringify([spec.short, spec.value === undefined]))
      expect([name, new Set(alike).size]).toEqual([name, 1])
    }
  })

  it('writes defaults, times and repetitions alike', () => {
    const texts = ALL.map(({ command, name, spec }) => `${command.name} --${name} ${spec.value ?? ''}: ${spec.help}`)

    expect(texts.filter((text) => /Default \d|[Rr]epeatable|more than once/.test(text))).toEqual([])
    expect(texts.filter((text) => / N: Milliseconds/.test(text))).toEqual([])
    for (const { name, notes = [] } of LOADED)
      expect([name, notes.filter((note) => /Exit codes: \d;/.test(note))]).toEqual([name, []])
  })

  it.each([
    ['parse', '-', '--format', 'nous'],
    ['render', '-', '--format', 'nous'],
    ['identify', '-'],
    ['score', '-', '--format', 'nous'],
    ['tutorial', '-', '--topic', 'x', '--prompts'],
    ['template', 'lint', '-'],
    ['template', 'render', '-', '--variables', 'v.json'],
    ['template', 'check', '-', '--format', 'nous'],
    ['tasks', 'list', '--suite', '-'],
  ])('reads %s %s from standard input', async (...words) => {
    const cwd = folderWith({ 'v.json': '{"messages": []}' })
    const input: Readonly<Record<string, string>> = {
      identify: '<tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call>',
      render: '{messages: [{role: "user", content: "x"}]}',
      score: '{"output": "<tool_call>\\n{\\"name\\": \\"clock\\", \\"arguments\\": {}}\\n</tool_call>"}\n',
      tutorial: '[]',
      tasks: '{',
    }

    const { stderr } = await inProcess(words, { cwd, input: input[words[0] ?? ''] ?? 'x' })

    expect(stderr).not.toMatch(/no such file|there is no such/)
    expect(words[0] === 'tasks' ? stderr : 'stdin').toContain('stdin')
  })
})

describe('a wrong name', () => {
  it.each([
    [['parse', 'a.txt', '--format', 'nuos'], 'nous'],
    [['parse', 'a.txt', '--format', 'nous', '--profile', 'mian'], 'main'],
    [['parse', 'a.txt', '--format', 'mistral-v3', '--profile', 'stirct'], 'strict'],
    [['fuzz', '--format', 'nous,raect'], 'react'],
    [['fuzz', '--format', 'nous', '--law', 'totalty'], 'totality'],
    [['conformance', 'run', '--op', 'prase'], 'parse'],
    [['conformance', 'matrix', '--recorded', 'gema-4'], 'gemma-4'],
    [['conformance', 'mutants', '--format', 'nuos'], 'nous'],
    [['eval', '-m', 'sim/perfct'], 'sim/perfect'],
    [['eval', '-f', 'fncall-nuos'], 'fncall-nous'],
    [['eval', '--min', 'parse_rat=0.9'], 'parse_rate'],
    [['eval', '--min', 'nuos:parse_rate=0.9'], 'nous'],
    [['tasks', 'list', '--filter-category', 'trp'], 'trap'],
    [['eval', '-o', 'x.jsn'], '.json'],
    [['report', 'lates'], 'latest'],
    [['tasks', 'show', 'T0'], 'T01'],
    [['transcripts', '004-promt2'], '004-prompt2'],
    [['tutorial', 't.json5', '--topic', 'x', '--profile', 'v0.8.3'], 'v0.8.2'],
    [['score', 'a.txt', '--format', 'nuos'], 'nous'],
    [['template', 'check', 'a.txt', '--format', 'nuos'], 'nous'],
    [['template', 'lint', 'a.txt', '--rule', 'tools-ignord'], 'tools-ignored'],
    [['golden', 'verify', '--format', 'nuos'], 'nous'],
    [['queue', 'stats'], 'status'],
    [['evla'], 'eval'],
  ])('%j is answered with "Did you mean"', async (words, meant) => {
    const cwd = folderWith({ 'a.txt': 'x', 't.json5': '["[]"]', 'r.json5': '{messages: []}' })

    const { code, stderr } = await inProcess(words, { cwd })

    expect(code).toBe(2)
    expect(stderr).toContain(` Did you mean ${meant}?`)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })
})

describe('conformance --json', () => {
  it.each([
    [['list', '--format', 'nous', '--op', 'parse'], /^\{"id":"nous\/parse\//],
    [['run', '--format', 'nous', '--op', 'stop', '--profile', 'strict'], /^\{"id": "nous\/stop\//],
    [['matrix', '--recorded', 'lfm2'], /^\[/],
  ])('alone prints what %j comes to, and nothing else', async (words, beginning) => {
    const { code, stdout } = await inProcess(['conformance', ...words, '--json'])

    expect(code).toBe(0)
    expect(stdout).toMatch(beginning)
    if (stdout.startsWith('[')) expect(JSON.parse(stdout)).not.toEqual([])
    else for (const line of stdout.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('id')
  })

  it('takes no file where none is written, before anything is asked', async () => {
    const { code, stderr } = await inProcess(['conformance', 'triage', 'known.txt', '--json', 'x.jsonl'])

    expect(code).toBe(2)
    expect(stderr).toContain('--json "x.jsonl": callspec conformance triage writes no file of results.')
  })
})
