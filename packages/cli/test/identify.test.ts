import { FORMATS } from '@callspec/core'
import { describe, expect, it } from 'vitest'
import type { Finished } from './helpers/binary.ts'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'
import { onlyLong } from '../../tidy/test/share.ts'

const NOUS = '<tool_call>\n{"name": "clock", "arguments": {"zone": "UTC"}}\n</tool_call>'
const CODER = '<tool_call>\n<function=clock>\n<parameter=zone>\nUTC\n</parameter>\n</function>\n</tool_call>'
const TOOLS = [{ name: 'clock', parameters: { type: 'object', properties: { zone: { type: 'string' } } } }]

function identify(file: string | Buffer, words: readonly string[] = [], more: object = {}): Promise<Finished> {
  return inProcess(['identify', 'file', ...words], { cwd: folderWith({ file, ...more }) })
}

interface Answer {
  readonly id: unknown
  readonly formats: readonly string[]
  readonly ranking: readonly { readonly format: string; readonly score: number; readonly why: string }[]
}

async function answers(file: string, words: readonly string[] = [], more: object = {}): Promise<readonly Answer[]> {
  const { code, stdout, stderr } = await identify(file, ['--json', ...words], more)
  if (code !== 0) throw new Error(stderr)
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer)
}

describe('callspec identify FILE', () => {
  it('reports the formats of an unchanged reply, and how they read it', async () => {
    const { code, stdout } = await identify(CODER)

    expect(code).toBe(0)
    expect(stdout.split('\n').slice(0, 7)).toEqual([
      'qwen3-coder, qwen3.5',
      '  qwen3-coder: read by strict',
      '  qwen3.5: read by strict',
      // The value ends with the line feed that the template writes before the closing tag.
      '  qwen3.5: mimo-v2.6 reads 1 call',
      '',
      '  qwen3-coder  1.00  1 call, no issues; valid tool name; no text.',
      '  qwen3.5      1.00  1 call, no issues; valid tool name; no text.',
    ])
  })

  it.each([
    ['single quotes', NOUS.replaceAll('"', "'"), 'single quotes'],
    ['a missing brace', NOUS.replace('}}', '}'), 'a missing closing bracket'],
    ['a comma too many', NOUS.replace('}}', ',}}'), 'a comma before a closing bracket'],
    ['words of Python', NOUS.replace('"UTC"', 'None'), 'Python, not JSON'],
    ['an end that is missing', NOUS.replace('"}}\n</tool_call>', ''), 'the reply ends inside it'],
    // Both write the same object, each between markers of its own.
    ['no markers', NOUS.replaceAll(/<.*>/g, ''), 'the markers around it are missing', ['nous', 'gigachat3']],
  ])('names the format of a broken call, and its fault: %s', async (_, text, fault, formats = ['nous']) => {
    const { code, stdout } = await identify(text)
    const [json] = await answers(text)

    expect(code).toBe(0)
    expect(stdout.split('\n')[0]).toBe(`${formats.join(', ')}, but the call is broken: ${fault}`)
    expect(json).toMatchObject({ formats: [], broken: { formats, why: fault }, stray: null })
  })

  it('says which version read the reply, and which ones read it otherwise', async () => {
    const { stdout } = await identify(NOUS.replaceAll('"', "'"))

    expect(stdout.split('\n').slice(1, 3)).toEqual([
      '  nous: read by strict',
      '  nous: qwen-agent@main, qwen-agent@v0.0.26 read 1 call',
    ])
  })

  it('reports markers of a family without a call of it', async () => {
    const text = '<｜DSML｜aio-clock zone="UTC"></｜DSML｜aio-clock>'
    const { stdout } = await identify(text)

    expect(stdout.split('\n')[0]).toMatch(/^no call in any of them, but markers of deepseek-v3\.2, .*"<｜DSML｜"/)
    expect((await answers(JSON.stringify({ text })))[0]).toMatchObject({ formats: [], broken: null })
  })

  it.each(['<think>Hm.</think>It is noon.', 'Summary\nAction: call Bob.', 'Use functools[0].', 'Noon.<|im_end|>'])(
    'takes no word, thought or stop token for a marker of calls: %j',
    async (text) => {
      expect((await answers(JSON.stringify({ text })))[0]).toMatchObject({ formats: [], broken: null, stray: null })
    },
  )

  it('says that no format finds a call', async () => {
    expect(await identify('It is noon.\n')).toMatchObject({
      code: 0,
      stdout: `no call in any of them\n${FORMATS.length} formats were asked\n`,
    })
  })

  it.each([
    ['texts', [{ id: 'a', output: NOUS }], ['a']],
    ['numbered texts', [{ id: 7, text: NOUS, tools: TOOLS }], [7]],
    ['texts in a row that names a format', [{ id: 'a', format: 'no-such', text: NOUS }], ['a']],
    ['answers', [{ id: 'chatcmpl-1', choices: [{ message: { role: 'assistant', content: NOUS } }] }], ['chatcmpl-1']],
    ['Batch outputs', [{ custom_id: 'c', response: { body: { choices: [{ text: NOUS }] } }, error: null }], ['c']],
    ['lm-eval samples', [{ doc_id: 3, resps: [[NOUS]] }], [3]],
    [
      'every reply of a chat',
      [
        {
          id: 'x',
          messages: [
            { role: 'assistant', content: NOUS },
            { role: 'user', content: '' },
            { role: 'assistant', content: NOUS },
          ],
        },
      ],
      ['x', 'x'],
    ],
    ['JSON texts', [NOUS], [null]],
  ])('reads %s, a line of JSON per reply', async (_, rows, ids) => {
    const given = await answers(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))

    expect(given.map(({ id, formats }) => [id, formats])).toEqual(ids.map((id) => [id, ['nous']]))
    expect(given[0]?.ranking.map(({ format }) => format).toSorted()).toEqual(FORMATS.map(({ id }) => id).toSorted())
  })

  it('takes a reply that is itself JSON, or begins like it, for a reply', async () => {
    expect((await answers('{"name": "clock", "parameters": {}}'))[0]?.formats).toEqual(['llama3-json'])
    expect((await answers('[TOOL_CALLS]clock[ARGS]{"zone": "UTC"}'))[0]?.formats).toContain('mistral-v13')
  })

  it('counts the answers of many replies', async () => {
    const rows = [{ text: NOUS }, { text: NOUS }, { text: 'Noon.' }, { error: {}, custom_id: 'c' }]
    const { stdout } = await identify(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))

    expect(stdout).toContain('| nous                   |       2 |\n| no call in any of them |       1 |\n')
    expect(stdout).toContain('3 replies')
  })

  it('counts a name that one of the tools has', async () => {
    const [known] = await answers(NOUS, ['--tools', 'tools.json'], { 'tools.json': JSON.stringify(TOOLS) })
    const [other] = await answers(NOUS.replace('clock', 'watch'), ['--tools', 'tools.json'], {
      'tools.json': JSON.stringify(TOOLS),
    })

    expect(known?.ranking[0]).toMatchObject({ format: 'nous', score: 1 })
    expect(other?.ranking[0]).toMatchObject({ format: 'nous', score: 0.5 })
  })

  it('reads the member that --field names', async () => {
    expect((await answers(JSON.stringify({ input: { text: NOUS } }), ['--field', 'input.text']))[0]?.formats).toEqual([
      'nous',
    ])
  })
})

describe('what cannot be identified', () => {
  it.each([
    ['a binary file', Buffer.from([0x89, 0x50, 0, 1]), 'callspec: file: this is a binary file, no text.'],
    ['a file of no letters', Buffer.alloc(4000, 0xfe), 'callspec: file: this is a binary file, no text.'],
    ['an empty file', '\n', 'callspec: file: there is nothing in it.'],
    [
      'a row of another form',
      '{"completion": "x"}',
      'callspec: file: no call, and no recorded reply that is known here, but a row with "completion".',
    ],
  ])('%s is named in one line', async (_, file, line) => {
    const { code, stdout, stderr } = await identify(file)

    expect([code, stdout]).toEqual([2, ''])
    expect(stderr.startsWith(line)).toBe(true)
    expect(stderr.trimEnd()).not.toContain('\n')
  })

  onlyLong(() => {
    it('a reply of 100 MB is named in one line', async () => {
      const { code, stderr } = await identify('x '.repeat(50_000_000))

      expect(code).toBe(2)
      expect(stderr).toMatch(/^callspec: file: more than 64 million characters, .*\n$/)
    })
  })

  it('tools without schemas are named in one line', async () => {
    const { code, stderr } = await identify(NOUS, ['--tools', 't.json'], { 't.json': '[{"name": "clock"}]' })

    expect(code).toBe(2)
    expect(stderr).toBe('callspec: t.json: no tool has a schema. Give each its "parameters": [{name, parameters}].\n')
  })

  it('a row that cannot be read is named, and the others are identified', async () => {
    const { stdout, stderr } = await identify(`${JSON.stringify({ text: NOUS })}\n{"text": \n{"text": "Noon."}\n`)

    expect(stderr).toBe('callspec: warning: file:2: this is no JSON\n')
    expect(stdout).toContain('2 replies, 1 unreadable')
  })
})

/** Calls as one of the formats has them, in ChatML. */
const HERMES =
  '{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content or "" }}' +
  '{% for c in m.tool_calls or [] %}\n<tool_call>\n{"name": "{{ c.function.name }}", "arguments": ' +
  '{{ c.function.arguments if c.function.arguments is string else c.function.arguments | tojson }}}\n</tool_call>{% endfor %}<|im_end|>\n{% endfor %}' +
  '{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}'

describe('callspec identify --template', () => {
  it('names the format of the calls that a template writes', async () => {
    const { stdout } = await inProcess(['identify', '--template', 't.jinja', '--json'], {
      cwd: folderWith({ 't.jinja': HERMES }),
    })

    const { id, formats, ranking } = JSON.parse(stdout) as Answer
    expect([id, formats]).toEqual(['t.jinja', ['nous']])
    expect(ranking[0]?.why).toMatch(/^Of \d+ replies with a call that the template writes it reads \d+ best\.$/)
  })

  it('says so of a template that writes no call, and of one that refuses them', async () => {
    const cwd = folderWith({
      'plain.jinja': '{% for m in messages %}{{ m.content }}\n{% endfor %}',
      'refusing.jinja':
        '{% if tools %}{{ raise_exception("no tools") }}{% endif %}{% for m in messages %}{% if m.tool_calls %}{{ raise_exception("no calls") }}{% endif %}{% endfor %}',
    })

    const plain = await inProcess(['identify', '--template', 'plain.jinja'], { cwd })
    const refusing = await inProcess(['identify', '--template', 'refusing.jinja'], { cwd })

    expect([plain.code, plain.stdout.split('\n')[0]]).toEqual([0, 'no call in any of them'])
    expect([refusing.code, refusing.stderr]).toEqual([
      2,
      'callspec: refusing.jinja: refuses every conversation with a call. callspec template lint says why, and in which form it takes one.\n',
    ])
  })
})
