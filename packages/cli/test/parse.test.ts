import { describe, expect, it } from 'vitest'
import { callspec } from './helpers/binary.ts'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'

interface PrintedItem {
  readonly kind: string
  readonly text: string
  readonly name: string
  readonly arguments: string
  readonly code: string
  readonly weight: string
  readonly severity: string
  readonly start: number
}

interface Printed {
  readonly kind: string
  readonly version: string
  readonly items: readonly PrintedItem[]
  readonly error: { readonly type: string }
}

/** The items of a kind. */
function items(printed: Printed, kind: string): readonly PrintedItem[] {
  return printed.items.filter((item) => item.kind === kind)
}

function calls(printed: Printed): readonly unknown[] {
  return items(printed, 'call').map(({ name, arguments: text }) => ({ name, arguments: text }))
}

function texts(printed: Printed): readonly string[] {
  return items(printed, 'text').map(({ text }) => text)
}

async function parse(text: string, ...words: string[]) {
  const { code, stdout, stderr } = await inProcess(['parse', ...words], { input: text })
  return { code, stderr, printed: (stdout === '' ? null : JSON.parse(stdout)) as Printed }
}

const CALL = '<tool_call>\n{"name": "clock", "arguments": {"n": 1.0}}\n</tool_call>'

describe('callspec parse', () => {
  it('prints texts, calls and no issues for a clean answer', async () => {
    const { code, printed } = await parse(`Let me see.\n${CALL}`, '-', '--format', 'nous')

    expect(code).toBe(0)
    expect(printed.kind).toBe('parsed')
    expect(printed.version).toBe('strict')
    expect(calls(printed)).toEqual([{ name: 'clock', arguments: '{"n": 1.0}' }])
    expect(texts(printed)).toEqual(['Let me see.'])
    expect(items(printed, 'issue')).toEqual([])
  })

  it('places an issue in the text', async () => {
    const { printed } = await parse('<tool_call>\n{"name": "clock", "arguments": {}', '--format', 'nous')

    expect(items(printed, 'issue').map(({ code, weight, severity, start }) => [code, weight, severity, start])).toEqual(
      [['cut', 'harm', 'error', 0]],
    )
  })

  it('cuts at stop words as the chat call does, unless an option forbids it', async () => {
    const text = '✿FUNCTION✿: clock\n✿ARGS✿: {}\n✿RESULT✿: 12:00'

    const read = await parse(text, '--format', 'qwen')
    const cut = await parse(text, '--format', 'qwen', '--profile', 'v0.0.26')
    const whole = await parse(text, '--format', 'qwen', '--profile', 'v0.0.26', '--no-stop-words')

    expect(calls(read.printed)).toEqual([{ name: 'clock', arguments: '{}' }])
    expect(calls(cut.printed)).toEqual([{ name: 'clock', arguments: '{}' }])
    expect([whole.code, whole.printed.kind, whole.printed.error.type]).toEqual([1, 'rejected', 'AssertionError'])
  })

  it('takes further stop words, with what is left of them without their last token', async () => {
    const { printed } = await parse('Noon. STOP and more', '--format', 'nous', '--stop', 'STOP')

    expect(texts(printed)).toEqual(['Noon.'])
    expect(items(printed, 'issue')).toMatchObject([
      { code: 'text-after-stop', weight: 'note', severity: 'note', start: 6 },
    ])
  })

  it('cuts at the given words alone when those of the format are not wanted', async () => {
    const { printed } = await parse('✿RETURN✿: Noon. STOP x', '--format', 'nous', '--stop', 'STOP', '--no-stop-words')
    const { printed: qwen } = await parse('Noon STOP ✿RESULT✿', '--format', 'qwen', '--stop', 'STOP', '--no-stop-words')

    expect(texts(printed)).toEqual(['✿RETURN✿: Noon.'])
    expect(qwen.kind).toBe('parsed')
  })

  it('gives every call of the ✿ format, in versions of Qwen-Agent only when calls are parallel', async () => {
    const text = '✿FUNCTION✿: a\n✿ARGS✿: {}\n✿FUNCTION✿: b\n✿ARGS✿: {}'

    const names = async (...words: string[]) =>
      items((await parse(text, '--format', 'qwen', ...words)).printed, 'call').map(({ name }) => name)

    expect(await names()).toEqual(['a', 'b'])
    expect(await names('--profile', 'v0.0.26')).toEqual(['a'])
    expect(await names('--profile', 'v0.0.26', '--parallel')).toEqual(['a', 'b'])
  })

  it('knows that the text begins inside a thought', async () => {
    const text = `${CALL}\n</think>\nNoon.`

    const count = async (...words: string[]) => calls((await parse(text, '--format', 'nous', ...words)).printed).length

    expect([await count(), await count('--thought-in-content')]).toEqual([1, 0])
  })

  it('takes text and settings from a request file, lone surrogates too', async () => {
    const cwd = folderWith({
      'answer.json5': String.raw`{ format: 'nous', text: 'a\ud83d', thought_in_content: true }`,
    })

    const { code, stdout } = await callspec(['parse', 'answer.json5', '--request'], { cwd })

    expect(code).toBe(0)
    expect(stdout).toContain('"text": "a\\ud83d"')
  })

  it('reads with a format of the user', async () => {
    const cwd = folderWith({
      'mine.mjs': `export const format = {
        id: 'mine',
        stopWords: ['END'],
        parse: (text, options) => ({
          kind: 'parsed',
          messages: [{ role: 'assistant', content: text, function_call: { name: 'f', arguments: String(options.parallelCalls) } }],
          issues: [],
        }),
      }`,
    })

    const { stdout } = await callspec(['parse', '--format', './mine.mjs', '--parallel'], { cwd, input: 'x' })

    const printed = JSON.parse(stdout) as Printed & { readonly format: string }
    expect([printed.format, calls(printed)]).toEqual(['mine', [{ name: 'f', arguments: 'true' }]])
  })

  it.each([
    ['() => []', "a list. Give {kind: 'parsed', messages, issues}."],
    ["() => ({ kind: 'rejected' })", "kind 'rejected' alone. Give error and issue with it."],
    [
      "() => ({ kind: 'parsed', messages: [() => 1] })",
      "a function among messages and issues. Give {kind: 'parsed', messages, issues}.",
    ],
  ])('says in one line what is wrong with a format of the user: %s', async (code, message) => {
    const cwd = folderWith({ 'mine.mjs': `export const format = { id: 'mine', parse: ${code} }` })

    const finished = await callspec(['parse', '--format', './mine.mjs'], { cwd, input: 'x' })

    expect([finished.code, finished.stderr]).toEqual([2, `callspec: ./mine.mjs: parse gave back ${message}\n`])
  })

  it('names the place of a function in what a format of the user gave back', async () => {
    const code =
      "() => ({ kind: 'parsed', messages: [{ role: 'assistant', content: 'x', function_call: { name: 'f', arguments: () => 1 } }] })"
    const cwd = folderWith({ 'mine.mjs': `export const format = { id: 'mine', parse: ${code} }`, 'a.txt': 'x' })

    const { code: exit, stderr } = await inProcess(['parse', 'a.txt', '--format', './mine.mjs'], { cwd })

    expect([exit, stderr]).toEqual([
      2,
      'callspec: ./mine.mjs: parse: messages[0].function_call.arguments: A function is no data. Give what JSON can hold.\n',
    ])
  })

  it.each([
    ['waits for ever', '() => new Promise(() => {})'],
    ['ends the process', '() => process.exit(0)'],
  ])('does not end in silence when a format of the user %s', async (_, code) => {
    const cwd = folderWith({ 'mine.mjs': `export const format = { id: 'mine', parse: ${code} }` })

    const finished = await callspec(['parse', '--format', './mine.mjs'], { cwd, input: 'x' })

    expect([finished.code, finished.stderr]).toEqual([
      3,
      'callspec: ended before the work was done. Does a module wait for ever, or call process.exit?\n',
    ])
  })
})

it('does not guess types by tools that have no schema', async () => {
  const cwd = folderWith({ 'a.txt': 'Hi.', 't.json': '[{"name": "clock"}]' })

  const { code, stderr } = await inProcess(['parse', 'a.txt', '--format', 'qwen3-coder', '--tools', 't.json'], { cwd })

  expect([code, stderr]).toEqual([
    2,
    'callspec: t.json: no tool has a schema. Give each its "parameters": [{name, parameters}].\n',
  ])
})

it('prints a line per item for people, in which a reply can do nothing to the terminal', async () => {
  const text = `A\u001b[31m\n${CALL}\nafter`
  const { code, stdout } = await inProcess(['parse', '-', '--format', 'nous', '--as', 'lines'], { input: text })
  const broken = await inProcess(['parse', '-', '--format', 'harmony', '--as', 'lines'], { input: '' })

  expect(code).toBe(0)
  expect(stdout.split('\n')).toEqual([
    'format     nous strict',
    'text       "A\\u001b[31m"',
    'call       clock {"n": 1.0}',
    'text       "after"',
    '',
  ])
  expect(broken.stdout).toBe('format     harmony strict\nnothing was read\n')
})

describe('callspec parse without --format', () => {
  const BROKEN = "<tool_call>\n{'name': 'clock', 'arguments': {}}\n</tool_call>"

  it('identifies first, and says what it took', async () => {
    const clean = await parse(CALL, '-')
    const coder = await parse('<tool_call>\n<function=f>\n</function>\n</tool_call>', '-')

    expect(clean.stderr).toBe('callspec: the text is in the format nous. --format names another one.\n')
    expect(clean.printed).toMatchObject({ format: 'nous', version: 'strict' })
    expect(coder.stderr).toContain('the text is in the format qwen3-coder (or qwen3.5).')
    expect(calls(coder.printed)).toEqual([{ name: 'f', arguments: '{}' }])
  })

  it('names what is wrong with a call that no format reads, and the versions that read it', async () => {
    const { code, stderr, printed } = await parse(BROKEN, '-')

    expect(code).toBe(0)
    expect(stderr.split('\n').slice(0, 2)).toEqual([
      'callspec: the text is in the format nous, but the call is broken: single quotes. --format names another one.',
      'callspec: 2 other versions read 1 call (--profile qwen-agent@main)',
    ])
    expect(items(printed, 'issue').map((issue) => issue.code)).toEqual(['body-not-readable'])
  })

  it('says nothing of versions that read the same calls, whatever their text', async () => {
    const { stderr } = await parse(`Let me see.\n${CALL}\nIt is noon.`, '-', '--format', 'nous')

    expect(stderr).toBe('')
  })

  it('counts the versions that refuse the text', async () => {
    const { stderr } = await parse('It is noon. ✿RESULT✿: 12:00', '-', '--format', 'qwen')

    expect(stderr).toBe('callspec: 5 other versions raise AssertionError (--profile qwen-agent@v0.0.26)\n')
  })

  it('reads by the version that is named, and compares with no other', async () => {
    const { stderr, printed } = await parse(BROKEN, '-', '--format', 'nous', '--profile', 'main')

    expect([stderr, printed.version, calls(printed).length]).toEqual(['', 'qwen-agent@main', 1])
  })

  it('asks for a format where the text holds no call', async () => {
    const { code, stderr } = await parse('It is noon.', '-')

    expect(code).toBe(2)
    expect(stderr).toMatch(
      /^callspec: Which format\? No call of any is in the text\. Give --format NAME \(callspec formats lists them\)/,
    )
  })
})
