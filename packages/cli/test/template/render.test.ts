import { describe, expect, it } from 'vitest'
import { answering } from '../helpers/answering.ts'
import { folderWith, namesIn } from '../helpers/folder.ts'
import { inProcess } from '../helpers/in-process.ts'
import type { Finished } from '../helpers/binary.ts'

const TEMPLATE =
  '{{ bos_token }}{% for m in messages %}<{{ m.role }}>{{ m.content }}{% if m.n is defined %}{{ m.n | tojson }}{% endif %}{% endfor %}' +
  '{% if tools is none and documents is none and add_generation_prompt %}<assistant>{% endif %}'

function render(words: readonly string[], { cwd, input }: { cwd?: string; input?: string } = {}): Promise<Finished> {
  return inProcess(['template', 'render', ...words], {
    ...(cwd === undefined ? {} : { cwd }),
    ...(input === undefined ? {} : { input }),
  })
}

describe('template render', () => {
  it('prints the prompt with the variables that transformers sets, and no line break of its own', async () => {
    const cwd = folderWith({
      'tokenizer_config.json': JSON.stringify({ bos_token: '<s>', chat_template: TEMPLATE }),
      'v.json': '{"messages": [{"role": "user", "content": "Hi."}]}',
    })

    const finished = await render(['.', '--variables', 'v.json'], { cwd })

    expect(finished).toEqual({ code: 0, stdout: '<s><user>Hi.<assistant>', stderr: '' })
  })

  it.each([[[]], [['--batch', 'v.jsonl']]])(
    'spells controls out on a terminal, and prints them into a pipe: %j',
    async (more) => {
      const messages = '[{"role": "user", "content": "\\u001b]0;x\\u0007\\u009b2J\\u202e"}]'
      const cwd = folderWith({
        't.jinja': TEMPLATE,
        'v.json': `{"messages": ${messages}}`,
        'v.jsonl': `{"id": 1, "variables": {"messages": ${messages}}}\n`,
      })
      const words = ['template', 'render', 't.jinja', ...(more.length > 0 ? more : ['--variables', 'v.json'])]

      const shown = await inProcess(words, { cwd, isTerminal: true })
      const piped = await inProcess(words, { cwd })

      const hidden = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/
      expect([shown.code, hidden.test(shown.stdout)]).toEqual([0, false])
      expect(shown.stdout).toMatch(/<user>\\u001b\]0;x\\u0007\\u009b2J\\u202e<assistant>.*\n$/)
      if (more.length === 0) expect(piped.stdout).toBe('<user>\u001b]0;x\u0007\u009b2J\u202e<assistant>')
    },
  )

  it('reads numbers without loss, and a list as the messages', async () => {
    const cwd = folderWith({ 't.jinja': TEMPLATE })
    const input = '[{"role": "user", "content": "", "n": [1.0, 1e5, -0.0, 9223372036854775808, 1]}]'

    const { stdout } = await render(['t.jinja', '--variables', '-'], { cwd, input })

    expect(stdout).toBe('<user>[1.0, 100000.0, -0.0, 9223372036854775808, 1]<assistant>')
  })

  it('lets the command line win over the file', async () => {
    const cwd = folderWith({ 't.jinja': '{{ add_generation_prompt }} {{ x | tojson }} {{ strftime_now("%H:%M") }}' })
    const words = ['--no-generation-prompt', '--set', 'x={"a": 1.0}', '--now', '2026-01-15T12:34:00Z']

    const { stdout } = await render(['t.jinja', '--variables', '-', ...words], {
      cwd,
      input: '{"add_generation_prompt": true, "x": 1}',
    })

    expect(stdout).toBe('False {"a": 1.0} 12:34')
  })

  it('says in one line where the template raises, and prints nothing', async () => {
    const cwd = folderWith({ 't.jinja': 'a\n{{ raise_exception("no\\nsystem") }}' })

    const finished = await render(['t.jinja', '--set', 'messages=[]'], { cwd })

    expect(finished).toEqual({ code: 1, stdout: '', stderr: 'callspec: t.jinja:2: raise_exception: no\\nsystem\n' })
  })

  it('asks a server that shows prompts alone, with what else there is as chat_template_kwargs', async () => {
    const asked: string[] = []
    const url = await answering({
      '/apply-template': (body) => {
        asked.push(body)
        return { body: { prompt: 'P' } }
      },
    })

    const { code, stdout } = await render([url, '--variables', '-', '--set', 'enable_thinking=false'], {
      input: '{"messages": [{"role": "user", "content": 1.0}], "bos_token": null}',
    })

    expect({ code, stdout }).toEqual({ code: 0, stdout: 'P' })
    expect(asked.at(-1)).toBe(
      '{"add_generation_prompt": true, "messages": [{"role": "user", "content": 1.0}], "chat_template_kwargs": {"enable_thinking": false}}',
    )
  })

  it.each([
    ['a template with a syntax error', '{% if %}', '{}', 't.jinja:1:7: TemplateSyntaxError: '],
    [
      'variables that are no JSON',
      'a',
      '{"messages": [}',
      'stdin: is not JSON: Expecting value: line 1 column 15 (char 14).',
    ],
    ['variables that are a text', 'a', '"x"', 'stdin: neither an object of variables nor a list of messages.'],
    [
      'half a surrogate pair',
      '{{ messages }}',
      '{"messages": "\\ud800"}',
      't.jinja: the prompt has half a surrogate pair at 0',
    ],
  ])('refuses %s with one line and writes nothing', async (_, template, input, message) => {
    const cwd = folderWith({ 't.jinja': template })

    const { code, stdout, stderr } = await render(['t.jinja', '--variables', '-', '-o', 'out'], { cwd, input })

    expect({ code, stdout, files: namesIn(cwd) }).toEqual({ code: 2, stdout: '', files: ['t.jinja'] })
    expect(stderr.startsWith(`callspec: ${message}`)).toBe(true)
    expect(stderr.match(/\n/g)).toHaveLength(1)
  })

  it.each([
    [['t.jinja'], 'Which conversation? Give --variables FILE'],
    [[], 'callspec template render needs a SOURCE'],
    [['t.jinja', '--set', 'x'], '--set "x" is not NAME=JSON.'],
    [
      ['t.jinja', '--set', 'x=yes'],
      `--set x: is not JSON: Expecting value: line 1 column 1 (char 0). Put a text in double quotes: --set 'x="yes"'.`,
    ],
    [['t.jinja', '--set', 'messages=[]', '--now', 'noon'], '--now "noon" is not a time.'],
    [['t.jinja', '--batch', 'x', '--variables', 'y'], '--batch and --variables exclude each other'],
  ])('says what is missing or wrong in %j', async (words, message) => {
    const cwd = folderWith({ 't.jinja': TEMPLATE })

    const { code, stderr } = await render(words, { cwd })

    expect(code).toBe(2)
    expect(stderr.slice('callspec: '.length, 'callspec: '.length + message.length)).toBe(message)
  })
})
