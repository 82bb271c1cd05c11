import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderWith } from '../helpers/folder.ts'
import { inProcess } from '../helpers/in-process.ts'

const CHAT =
  '{% for m in messages %}<|{{ m.role }}|>{{ m.content | trim }}{% for c in m.tool_calls or [] %}<c>{{ c.function | tojson }}</c>{% endfor %}<end>\n' +
  '{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}'
const RESPONSE = {
  start_anchor: '<|assistant|>',
  fields: {
    tool_calls: {
      open: '<c>',
      close: '</c>',
      repeats: true,
      content: 'json',
      transform: { type: 'function', function: '{content}' },
    },
    content: { close_pattern: '<end>\\s*|$', repeats: true, join: '' },
  },
}

function modelFolder(response: object = RESPONSE): string {
  return folderWith({
    'tokenizer_config.json': JSON.stringify({ chat_template: CHAT, response_template: response }),
    'train.jsonl':
      '{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": " Noon. "}, {"role": "assistant", "content": "It is <c>1</c>."}]}\n',
  })
}

describe('callspec template roundtrip', () => {
  it('counts the messages that come back, and prints those that do not', async () => {
    const { code, stdout } = await inProcess(['template', 'roundtrip', modelFolder(), '--every-cut'])

    expect(code).toBe(1)
    expect(stdout.split('\n').slice(1, 4)).toEqual([
      '  35 of 41 come back',
      '  6 of 41 are not written by the chat template',
      expect.stringMatching(/^ {2}\d+ of 41 give another message when the reply is cut in two$/),
    ])
    expect(stdout).toContain('chat-template-loses thought and text (reasoning)\n  written  Noon.<end>\n  read as  ')
  })

  it('takes the replies of a data set, and gives them as JSON', async () => {
    const folder = modelFolder()

    const { code, stdout } = await inProcess([
      ...['template', 'roundtrip', folder, '--messages', join(folder, 'train.jsonl'), '--json'],
    ])

    const { counts, trips } = JSON.parse(stdout) as { counts: object; trips: { id: string; verdict: string }[] }
    expect(code).toBe(1)
    expect(counts).toMatchObject({ 'chat-template-loses': 1, differs: 1 })
    expect(trips.map(({ id, verdict }) => [id.replace(/^.*train/, 'train'), verdict])).toEqual([
      ['train.jsonl:1 messages[1]', 'chat-template-loses'],
      ['train.jsonl:1 messages[2]', 'differs'],
    ])
  })

  it('takes the response template from another file', async () => {
    const folder = folderWith({ 'x.jinja': CHAT, 'response.json': JSON.stringify(RESPONSE) })
    const flags = ['template', 'roundtrip', join(folder, 'x.jinja')]

    const without = await inProcess(flags)
    const given = await inProcess([...flags, '--response-template', join(folder, 'response.json')])

    expect([without.code, without.stderr]).toEqual([
      2,
      expect.stringContaining('Give it with --response-template FILE'),
    ])
    expect(given.stdout).toContain('35 of 41 come back')
  })
})
