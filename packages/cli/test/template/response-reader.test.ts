import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { answering } from '../helpers/answering.ts'
import { folderWith } from '../helpers/folder.ts'
import { inProcess } from '../helpers/in-process.ts'

const NOUS = {
  start_anchor: '<|im_start|>assistant\n',
  fields: {
    tool_calls: {
      open_pattern: '\\s*<tool_call>',
      close: '</tool_call>',
      repeats: true,
      content: 'json',
      transform: { type: 'function', function: { name: '{content.name}', arguments: '{content.arguments}' } },
    },
    content: { close_pattern: '\\s*<\\|im_end\\|>\\s*', repeats: true, join: '' },
  },
}
const CHAT =
  '{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}{% for c in m.tool_calls or [] %}\n<tool_call>\n' +
  '{{ c.function | tojson }}\n</tool_call>{% endfor %}<|im_end|>\n{% endfor %}' +
  '{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}'

const CALL = '<tool_call>\n{"name": "clock", "arguments": {"zone": "UTC"}}\n</tool_call>'
const REPLIES = [CALL, '<tool_call>{x}</tool_call>', 'Noon.', `<tool_call>{x}</tool_call>${CALL}`]

function modelFolder(): string {
  return folderWith({
    'tokenizer_config.json': JSON.stringify({ chat_template: CHAT, response_template: NOUS }),
    'response.json': JSON.stringify(NOUS),
    'schema.json': '{"x-regex": "(.*)"}',
    'reply.txt': `Let me look.\n${CALL}<|im_end|>`,
    'replies.jsonl': REPLIES.map((text) => JSON.stringify({ text })).join('\n'),
  })
}

describe('a response template as a reader', () => {
  it('is checked against the strict replies of a format', async () => {
    const { code, stdout } = await inProcess(['template', 'check', modelFolder(), '--format', 'nous', '--json'])

    const { response } = JSON.parse(stdout) as {
      response: { replies: number; right: number; wrong: { case: string; reply: string }[] }
    }
    expect(code).toBe(1)
    expect(response.replies).toBeGreaterThan(300)
    expect(response.right / response.replies).toBeGreaterThan(0.7)
    // It has no field for thoughts, and a region ends at the first closer.
    const topics = new Set(response.wrong.map((each) => each.case.replace(/#.*/, '')))
    expect([...topics]).toEqual(expect.arrayContaining(['nous/parse/markers-in-values', 'nous/parse/thoughts']))
  })

  it('is checked with the ids of calls where the format has some', async () => {
    const exported = await inProcess(['formats', 'command4', '--response-template'])
    const folder = folderWith({ 'response.json': exported.stdout, 'chat.jinja': CHAT })
    const flags = ['--format', 'command4', '--response-template', join(folder, 'response.json'), '--json']

    const { stdout } = await inProcess(['template', 'check', join(folder, 'chat.jinja'), ...flags])

    const { response } = JSON.parse(stdout) as { response: { wrong: { case: string }[] } }
    expect(new Set(response.wrong.map((each) => each.case.replace(/#.*/, '')))).toEqual(
      new Set(['command4/parse/cut', 'command4/parse/markers-in-values']),
    )
  })

  it('prints how many replies are read as meant', async () => {
    const folder = modelFolder()

    const { stdout } = await inProcess(['template', 'check', folder, '--format', 'nous'])

    expect(stdout).toMatch(/reads \d+ of \d+ strict replies of nous as meant\.\n$/)
  })

  it('is one of the formats that identify compares', async () => {
    const folder = modelFolder()
    const flags = ['--response-template', join(folder, 'response.json'), '--json']

    const { stdout } = await inProcess(['identify', join(folder, 'reply.txt'), ...flags])
    const rows = await inProcess(['identify', join(folder, 'replies.jsonl'), ...flags])

    expect((JSON.parse(stdout) as { formats: string[] }).formats).toEqual(['nous', 'response-template'])
    expect(rows.stdout.split('\n')[0]).toContain('"formats":["nous","response-template"]')
  })

  it('scores outputs: strictly as transformers, with what vLLM keeps as the repair', async () => {
    const folder = modelFolder()
    const score = ['score', join(folder, 'replies.jsonl'), '--response-template']

    const { code, stdout } = await inProcess([...score, folder, '--json'])
    const both = await inProcess([...score, folder, '--format', 'nous'])
    const older = await inProcess([...score, join(folder, 'schema.json')])

    const [model] = (JSON.parse(stdout) as { models: object[] }).models
    expect(code).toBe(0)
    expect(model).toMatchObject({ rows: 4, strict: { well_formed: 1, final_answer: 1, malformed: 2 } })
    expect(model).toMatchObject({ lenient: { well_formed: 1, final_answer: 1, malformed: 1, recovered: 1 } })
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('give it or --format')])
    expect([older.code, older.stderr]).toEqual([2, expect.stringContaining('older response_schema')])
  })

  it('says which formats it reads, in a folder and alone', async () => {
    const folder = modelFolder()

    const whole = await inProcess(['formats', folder])
    const alone = await inProcess(['formats', join(folder, 'response.json')])

    expect(whole.stdout).toContain('because its response template reads calls of nous')
    expect(alone.stdout).toContain('nous (likely)\n  because its response template reads calls of nous\n')
  })

  it('has a page of its round trips, in which nothing is markup', async () => {
    const folder = modelFolder()
    const page = join(folder, 'page.html')

    const { stderr } = await inProcess(['template', 'roundtrip', folder, '--html', page])

    const text = readFileSync(page, 'utf8')
    expect(stderr).toContain(`page: ${page}`)
    expect(text).toContain('&lt;tool_call&gt;')
    expect(text).not.toContain('<tool_call>')
  })
})

describe('the doctor with a response template', () => {
  const TEXT = `Let me look.\n${CALL}`

  /** A server whose model writes `text`, and which answers with a call and `content`. */
  async function serving(text: string, content: string): Promise<string> {
    const call = { id: 'c1', type: 'function', function: { name: 'clock', arguments: '{"zone":"UTC"}' } }
    const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 }
    return answering({
      '/v1/models': { body: { data: [{ id: 'm' }] } },
      '/apply-template': { body: { prompt: '<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n' } },
      '/v1/completions': { body: { choices: [{ index: 0, text, finish_reason: 'stop' }], usage } },
      '/v1/chat/completions': (body) => {
        const { tools } = JSON.parse(body) as { tools?: object }
        const message = { role: 'assistant', content, ...(tools === undefined ? {} : { tool_calls: [call] }) }
        return { body: { choices: [{ index: 0, message, finish_reason: 'stop' }], usage } }
      },
    })
  }

  async function finding(text: string, content: string): Promise<{ verdict: string; evidence: string } | undefined> {
    const url = await serving(text, content)
    const { stdout } = await inProcess(
      ['doctor', '--base-url', `${url}/v1`, '--timeout', '5', '--json', '--response-template', modelFolder()],
      { cwd: folderWith({}) },
    )
    const { findings } = JSON.parse(stdout) as { findings: { check: string; verdict: string; evidence: string }[] }
    return findings.find(({ check }) => check === 'response-template')
  }

  it('predicts what the server should answer', async () => {
    const good = await finding(TEXT, 'Let me look.')
    const lost = await finding(TEXT, '')
    const refused = await finding('<tool_call>{x}</tool_call>', 'Let me look.')

    expect(good).toMatchObject({ verdict: 'ok', evidence: expect.stringContaining('as it predicts') as string })
    expect(lost).toMatchObject({
      verdict: 'warn',
      evidence: 'the template reads the text "Let me look.", the server answers ""',
    })
    expect(refused).toMatchObject({ verdict: 'warn', evidence: expect.stringContaining('it refuses') as string })
  })

  it('needs a template, and no --quick', async () => {
    const flags = ['doctor', '--base-url', 'http://127.0.0.1:9/v1', '--response-template', modelFolder()]

    const { code, stderr } = await inProcess([...flags, '--quick'], { cwd: folderWith({}) })

    expect([code, stderr]).toEqual([2, expect.stringContaining('--quick compares nothing with a response template')])
  })
})
