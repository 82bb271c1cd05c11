import { describe, expect, it } from 'vitest'
import { loads } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import { compileTemplate } from '@callspec/template'
import { answering } from '../helpers/answering.ts'
import type { Answer } from '../helpers/answering.ts'
import type { Finished } from '../helpers/binary.ts'
import { folderWith } from '../helpers/folder.ts'
import { inProcess } from '../helpers/in-process.ts'

const OLD =
  '{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% for c in m.tool_calls or [] %}{{ c.function.arguments | tojson }}{% endfor %}<|end|>\n{% endfor %}' +
  '{% if add_generation_prompt %}<|assistant|>{% endif %}'

function diff(left: string, right: string, further: readonly string[] = []): Promise<Finished> {
  const cwd = folderWith({ 'old.jinja': OLD, 'new.jinja': right.startsWith('http') ? '' : right })
  const side = right.startsWith('http') ? right : 'new.jinja'
  return inProcess(['template', 'diff', left, side, ...further], { cwd })
}

/** A request as a server reads it, without loss. */
function served(body: string): PyDict {
  return new Map([...(loads(body) as PyDict), ['add_generation_prompt', true]])
}

/** A server that renders this template, and shows nothing but the number of words and special tokens. */
function counting(template: string): (body: string) => Answer {
  const compiled = compileTemplate(template)
  return (body) => {
    const rendering = compiled.render(served(body))
    if (rendering.kind === 'raised') return { status: 400, body: { error: { message: rendering.error.message } } }
    const tokens = rendering.text.match(/<\|\w+\|>|\w+|[^\w\s]/g)?.length ?? 0
    return { body: { choices: [], usage: { prompt_tokens: tokens } } }
  }
}

describe('template diff', () => {
  it('is content where only comments and white space of the source changed', async () => {
    const finished = await diff('old.jinja', OLD.replace('{% if add', '{#- new -#}\n  {%- if   add'))

    expect(finished.code).toBe(0)
    expect(finished.stdout).toMatch(/^- old\.jinja {2}sha256 [0-9a-f]{12} {2}rendered here\n\+ new\.jinja /)
    expect(finished.stdout).toMatch(/\n\nThe templates are different texts; no difference in \d+ conversations\.\n$/)
  })

  it('shows the first bytes that differ, once for all conversations that show the same', async () => {
    const { code, stdout } = await diff(
      'old.jinja',
      OLD.replace('c.function.arguments | tojson', 'c.function.arguments'),
    )

    expect(code).toBe(1)
    expect(stdout).toContain(
      [
        '✗ call',
        '  differs from byte 66 on (line 2, column 15)',
        `  - <|assistant|>{"station":␣"STATIONQZ"}<|end|>⏎`,
        `  + <|assistant|>{'station':␣'STATIONQZ'}<|end|>⏎`,
        '                  ^',
        '  the same in ',
      ].join('\n'),
    )
  })

  it('puts conversations first that only one side refuses', async () => {
    const refusing = OLD.replace('{% for m in', '{% if tools %}{{ raise_exception("no tools") }}{% endif %}{% for m in')
    const { code, stdout } = await diff('old.jinja', refusing.replace('<|end|>', '<|stop|>'))

    expect(code).toBe(1)
    expect(
      stdout
        .split('\n')
        .filter((line) => /^ {2}[-+] /.test(line))
        .slice(0, 2),
    ).toEqual([expect.stringMatching(/^ {2}- renders /), '  + raises raise_exception: no tools'])
  })

  it('sees numbers that plain data cannot hold', async () => {
    const { stdout } = await diff(
      'old.jinja',
      OLD.replace('| tojson', '| tojson | replace("1e5", "") | replace("100000.0", "100000")'),
      ['--json'],
    )

    expect(JSON.parse(stdout)).toMatchObject({ differences: [{ conversation: 'numbers', how: 'text' }] })
  })

  it('takes special tokens of one side where the other names none', async () => {
    const cwd = folderWith({
      'a.jinja': '{{ bos_token }}{{ messages | length }}',
      'tokenizer_config.json': JSON.stringify({
        bos_token: '<s>',
        chat_template: '{{ bos_token }}{{ messages | length }}',
      }),
    })

    const { code, stdout } = await inProcess(['template', 'diff', 'a.jinja', 'tokenizer_config.json'], { cwd })

    expect(code).toBe(0)
    expect(stdout).toContain('The templates are the same text;')
  })
})

describe('template diff with a server', () => {
  it('holds prompts of /apply-template against the file, without the first token that engines leave out', async () => {
    const compiled = compileTemplate(OLD)
    const apply = (body: string): Answer => {
      const rendering = compiled.render(served(body))
      return rendering.kind === 'rendered'
        ? { body: { prompt: rendering.text.replaceAll('BESIDEQZ', '') } }
        : { status: 500, body: {} }
    }
    const url = await answering({ '/apply-template': apply })
    const cwd = folderWith({
      'tokenizer_config.json': JSON.stringify({ bos_token: '<s>', chat_template: `{{ bos_token }}${OLD}` }),
    })

    const { code, stdout } = await inProcess(['template', 'diff', '.', url, '--json'], { cwd })

    const { differences, ...result } = JSON.parse(stdout) as {
      differences: readonly { conversation: string; how: string }[]
    }
    expect({ code, result, ids: differences.map(({ conversation, how }) => [conversation, how]) }).toMatchObject({
      code: 1,
      result: { not_compared: '<s>', sides: [{}, { sha256: null, by: '/apply-template' }] },
      ids: [['text-with-call', 'text']],
    })
  })

  it('finds no difference by numbers of tokens between equal templates', async () => {
    const url = await answering({ '/v1/chat/completions': counting(OLD) })

    const { code, stdout } = await diff('old.jinja', url)

    expect(code).toBe(0)
    expect(stdout).toMatch(/text not shown {2}prompt_tokens\n\nNo difference in \d+ conversations\.\n$/)
  })

  it('finds by numbers of tokens what a server leaves out, and what it refuses', async () => {
    const served = OLD.replace(
      '{% for c in m.tool_calls or [] %}',
      '{% if m.role == "system" %}{{ raise_exception("no system") }}{% endif %}{% for c in [] %}',
    )
    const url = await answering({ '/v1/chat/completions': counting(served) })

    const { code, stdout } = await diff('old.jinja', url, ['--json'])

    const { differences } = JSON.parse(stdout) as { differences: readonly { conversation: string; how: string }[] }
    expect(code).toBe(1)
    expect(differences.find(({ conversation }) => conversation === 'system')?.how).toBe('raise-and-text')
    expect(differences.find(({ conversation }) => conversation === 'call')?.how).toBe('tokens')
    expect(differences.some(({ conversation }) => conversation === 'greeting')).toBe(false)
  })

  it.each([
    [
      'counts that do not follow the prompt',
      () => ({ body: { usage: { prompt_tokens: 7 } } }),
      /1, 2, 4 and 8 words count as 7, 7, 7, 7\.$/,
    ],
    [
      'special tokens that are text in what a user says',
      (body: string) => counting(OLD)(body.replaceAll(/<\|\w+\|>/g, 'a b c d')),
      /counts "<\|user\|>" in a user's text as ordinary text/,
    ],
  ])('refuses %s', async (_, answer: (body: string) => Answer, message) => {
    const url = await answering({ '/v1/chat/completions': answer })

    const { code, stdout, stderr } = await diff('old.jinja', url)

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr.trimEnd()).toMatch(message)
  })
})
