import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@cfworker/json-schema'
import { describe, expect, it } from 'vitest'
import { answering } from '../helpers/answering.ts'
import { folderWith } from '../helpers/folder.ts'
import { inProcess } from '../helpers/in-process.ts'

/** Loses text next to a call, and shows the year. */
const LOSSY =
  "{{ strftime_now('%Y') }}{% if tools %}{{ tools | tojson }}{% endif %}{% for m in messages %}<{{ m['role'] }} {{ m['tool_call_id'] }}>" +
  "{% for c in m['tool_calls'] or [] %}{{ c | string if c['function']['arguments'] is string else c | tojson }}{% else %}{{ m['content'] }}{% endfor %}" +
  '</>{% endfor %}{% if add_generation_prompt %}<assistant >{% endif %}'
const SCHEMA = join(import.meta.dirname, '../../schemas/template-lint.schema.json')
const RULES = ['--rule', 'text-lost-with-call,clock']

function pathOf(text: string): string {
  return join(folderWith({ 'x.jinja': text }), 'x.jinja')
}

describe('callspec template lint', () => {
  it('says what is wrong, in which conversation, where, and what to do', async () => {
    const { code, stdout } = await inProcess(['template', 'lint', pathOf(LOSSY), '--rule', 'text-lost-with-call'])

    expect(code).toBe(1)
    expect(stdout.split('\n').slice(2)).toEqual([
      'error    text-lost-with-call',
      "         The assistant's text next to a call is lost.",
      '         text-with-call: user "When does a train leave TRONDHEIMQZ?" · assistant',
      '         "BESIDEQZ let me look." find_trains({"station":"STATIONQZ"}) · tool',
      '         "DEPARTUREQZ"',
      '         The message has text and a call; only the call is shown.',
      expect.stringContaining('»STATIONQZ«'),
      '         → Print the content of a message with calls, too. Until then, put the',
      '         text into a separate message.',
      '',
    ])
  })

  it('prints once what helps against several findings', async () => {
    const chatml =
      "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}" +
      '{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}'
    const words = ['template', 'lint', pathOf(chatml), '--rule', 'user-forges-turn,user-forges-system']

    const { stdout } = await inProcess(words)

    expect(stdout.split('→ No template helps')).toHaveLength(2)
    expect(stdout.trimEnd()).toMatch(/→ as for user-forges-(?:turn|system)$/)
  })

  it('gives whole conversations and prompts as JSON, and sums by which a template is known', async () => {
    const path = pathOf(LOSSY)

    const { stdout } = await inProcess(['template', 'lint', path, '--json', ...RULES])

    const report = JSON.parse(stdout) as { templates: [{ findings: { conversation: object; rendered: string }[] }] }
    expect(report).toMatchObject({
      schema: 1,
      kind: 'template-lint',
      failed: true,
      templates: [{ name: path, sha256: expect.stringMatching(/^[\da-f]{64}$/) as string }],
    })
    expect(report.templates[0].findings).toMatchObject([
      {
        rule: 'text-lost-with-call',
        severity: 'error',
        conversation: { id: 'text-with-call', messages: [{}, {}, {}] },
      },
      { rule: 'clock', severity: 'warning', rendered: expect.stringMatching(/^2027/) as string },
    ])
  })

  it('prints JSON as its schema says', async () => {
    const schema = JSON.parse(readFileSync(SCHEMA, 'utf8')) as Readonly<Record<string, unknown>>
    const paths = [LOSSY, '{{ functions }}{{ build() }}', "{{ raise_exception('no') }}"].map(pathOf)

    const { stdout } = await inProcess(['template', 'lint', ...paths, '--json', '--rule', 'all'])

    expect(new Validator(schema, '2020-12').validate(JSON.parse(stdout) as object).errors).toEqual([])
  })

  it.each([
    [[], 0],
    [['--fail-on', 'warning'], 1],
  ])('lets warnings pass unless asked otherwise: %j', async (words, expected) => {
    const { code } = await inProcess(['template', 'lint', pathOf(LOSSY), '--rule', 'clock', ...words])

    expect(code).toBe(expected)
  })

  it('lints several sources in one go', async () => {
    const { stdout } = await inProcess(['template', 'lint', pathOf(LOSSY), pathOf(LOSSY), '--rule', 'clock'])

    expect(stdout.match(/1 warning/g)).toHaveLength(2)
  })

  it('lints the prompts of a server that does not show its template', async () => {
    const url = await answering({
      '/apply-template': (body) => {
        const { messages } = JSON.parse(body) as { messages: readonly { role: string; content: string }[] }
        return { body: { prompt: messages.map(({ role, content }) => `<${role}>${content}`).join('') } }
      },
    })

    const { code, stdout } = await inProcess(['template', 'lint', url])

    expect(code).toBe(1)
    expect(stdout).toContain('tools-ignored')
  })

  it.each([
    ['a syntax error', '{% if %}', /x\.jinja:1:\d+: TemplateSyntaxError: .*\n$/],
    ['no template', null, /no such file\. .*\n$/],
  ])('refuses %s in one line', async (_, text, message) => {
    const { code, stdout, stderr } = await inProcess([
      'template',
      'lint',
      text === null ? '/nowhere/x.jinja' : pathOf(text),
    ])

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(message)
    expect(stderr.trimEnd()).not.toContain('\n')
  })

  it('goes on with the others where one of many cannot be read', async () => {
    const words = ['template', 'lint', pathOf('{% if %}'), '/nowhere/x.jinja', pathOf(LOSSY)]

    const { code, stdout, stderr } = await inProcess(words)

    expect(code).toBe(2)
    expect(stdout).toContain('string-arguments-altered')
    expect(stderr).toMatch(/^callspec: .*TemplateSyntaxError: .*\ncallspec: .*no such file\. .*\n$/)
  })

  it('refuses a server that shows only numbers of tokens', async () => {
    const url = await answering({ '/v1/chat/completions': () => ({ body: { usage: { prompt_tokens: 9 } } }) })

    const { code, stderr } = await inProcess(['template', 'lint', url])

    expect(code).toBe(2)
    expect(stderr).toMatch(/^callspec: [^\n]*shows only the number of tokens of a prompt[^\n]*\n$/)
  })

  it('knows its rules', async () => {
    const { code, stderr } = await inProcess(['template', 'lint', pathOf(LOSSY), '--rule', 'tools-ignore'])

    expect(code).toBe(2)
    expect(stderr).toContain('there is no rule "tools-ignore". Did you mean tools-ignored?')
  })

  it('lets no text of a template touch the terminal', async () => {
    const { stdout } = await inProcess([
      'template',
      'lint',
      pathOf("\u001b[31m{{ raise_exception('\u001b[2J\n') }}"),
      '--rule',
      'all',
    ])

    expect(stdout).not.toContain('\u001b')
  })
})
