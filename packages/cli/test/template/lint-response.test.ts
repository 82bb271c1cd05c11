import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@cfworker/json-schema'
import { describe, expect, it } from 'vitest'
import { folderWith } from '../helpers/folder.ts'
import { inProcess } from '../helpers/in-process.ts'

const CHAT =
  '{% for m in messages %}<|{{ m.role }}|>{% if m.reasoning_content %}<think>{{ m.reasoning_content }}</think>{% endif %}{{ m.content }}<end>\n' +
  '{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}'
const RESPONSE = {
  start_anchor: '<|assistant|>',
  fields: { thinking: { open: '<think>', close: '</think>' }, content: { close_pattern: '<end>\\s*|$' } },
}
const SCHEMA = join(import.meta.dirname, '../../schemas/template-lint.schema.json')

describe('callspec template lint of a response template', () => {
  it('says what is wrong, with a reply that shows it, in a folder with both templates', async () => {
    const folder = folderWith({
      'tokenizer_config.json': JSON.stringify({ chat_template: CHAT, response_template: RESPONSE }),
    })

    const { code, stdout } = await inProcess(['template', 'lint', folder, '--rule', 'stream-dollar,thought-name'])

    expect(code).toBe(1)
    expect(stdout.split('\n').slice(-19)).toEqual([
      '  2 findings in the response template',
      'error    stream-dollar  field content',
      '         $ also matches before a last line feed and hides half a closer:',
      '         streamed text is lost.',
      '         $ is an alternative in <end>\\s*|$.',
      '         "one\\n" then "two<end>"',
      '         is read as {"message": {"content": "two"}}',
      '         and not as {"message": {"content": "one\\ntwo"}}',
      '         → Drop the alternative: a field ends with the reply without it.',
      'error    thought-name  field thinking',
      '         The response template writes another member for thoughts than the chat',
      '         template reads: the next prompt lacks the thought.',
      '         The response template writes thinking, the chat template reads',
      '         reasoning_content.',
      '         "<think>THOUGHTQZ of the model.</think>Noon.<end>\\n"',
      '         is read as {"message": {"thinking": "THOUGHTQZ of the model.",',
      '         "content": "Noon."}}',
      '         → Name the field as the chat template does.',
      '',
    ])
  })

  it('gives them as JSON, also for a file of the response template alone', async () => {
    const path = join(folderWith({ 'response.json': JSON.stringify(RESPONSE) }), 'response.json')

    const { code, stdout } = await inProcess(['template', 'lint', path, '--json'])

    const report: unknown = JSON.parse(stdout)
    expect([code, report]).toMatchObject([
      1,
      { templates: [], responseTemplates: [{ findings: [{ rule: 'text-overwritten' }, { rule: 'stream-dollar' }] }] },
    ])
    expect(new Validator(JSON.parse(readFileSync(SCHEMA, 'utf8')) as object).validate(report).errors).toEqual([])
  })

  it('takes the response template of another file, and reports one that transformers refuses', async () => {
    const folder = folderWith({ 'x.jinja': CHAT, 'response.json': '{"fields": {"a": {"close": ""}}}' })

    const { code, stdout } = await inProcess([
      ...[
        'template',
        'lint',
        join(folder, 'x.jinja'),
        '--response-template',
        join(folder, 'response.json'),
        '--rule',
        'refused',
      ],
    ])

    expect(code).toBe(1)
    expect(stdout).toContain("empty-literal: Field 'a': 'close' literals cannot be empty strings")
  })
})
