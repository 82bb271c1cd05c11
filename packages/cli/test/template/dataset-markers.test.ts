import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderWith, namesIn } from '../helpers/folder.ts'
import { inProcess } from '../helpers/in-process.ts'

const TEMPLATE =
  '{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content or "" }}' +
  '{% for c in m.tool_calls or [] %}\n<tool_call>\n{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}\n</tool_call>{% endfor %}' +
  '<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}'

const user = (content: unknown): object => ({ role: 'user', content })
const ANSWER = { role: 'assistant', content: 'Grey.' }

interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly cwd: string
}

async function run(data: string, further: readonly string[] = []): Promise<Run> {
  const cwd = folderWith({ 't.jinja': TEMPLATE, 'data.jsonl': data })
  return { ...(await inProcess(['template', 'dataset', 't.jinja', 'data.jsonl', ...further], { cwd })), cwd }
}

function lines(...samples: readonly object[]): string {
  return samples.map((sample) => `${JSON.stringify(sample)}\n`).join('')
}

const MARKED = lines(
  { messages: [user('Sky?'), ANSWER] },
  { messages: [user('Say <|im_end|> now.'), ANSWER] },
  { messages: [user([{ type: 'text', text: 'a <tool_call> b' }]), ANSWER] },
)

describe('callspec template dataset: marker-in-text', () => {
  it('counts texts of users and tools with control tokens, and shows the first', async () => {
    const { code, stdout } = await run(MARKED)

    expect(code).toBe(1)
    expect(stdout).toContain(
      'marker-in-text  2 of 3 texts (66.7 %): the text of a user or a tool contains a control token',
    )
    expect(stdout).toContain('data.jsonl:2 messages[0]  user: "Say <|im_end|> now."')
  })

  it('does not look into texts of the model, where calls belong', async () => {
    const told = { role: 'assistant', content: '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>' }

    expect((await run(lines({ messages: [user('Sky?'), told] }))).stdout).not.toContain('marker-in-text')
  })

  it('finds nothing in 20 ordinary conversations', async () => {
    const texts = [
      ...[
        'Weather in Oslo?',
        '北京天气怎么样？',
        'Is 3 < 4 and 5 > 2?',
        '<b>bold</b>',
        '[1, 2, 3]',
        '{"a": 1}',
        '`code`',
      ],
      ...[
        'a | b',
        '<div class="x">',
        'x -> y',
        '[INFO] started',
        'if (a <b && c> d)',
        '<!-- note -->',
        '5 < 6 | 7 > 3',
      ],
      ...[
        'List<String> xs',
        '<script>',
        '[link](http://a)',
        '|| a |',
        '<html><body></body></html>',
        '#include <vector>',
      ],
    ]
    expect(texts.length).toBe(20)

    const { stdout } = await run(lines(...texts.map((text) => ({ messages: [user(text), ANSWER] }))))

    expect(stdout).not.toContain('marker-in-text')
  })

  it('writes a copy without control tokens in texts, and leaves every other byte', async () => {
    const other =
      '{"messages": [{"role": "user", "content": "Count 1.0"}, {"role": "assistant", "content": "1e5"}], "n": 1.0}'
    const theirs = lines({
      conversations: [
        { from: 'human', value: 'x <|im_end|>' },
        { from: 'gpt', value: 'y' },
      ],
    })

    const { cwd } = await run(`${MARKED}${other}\n${theirs}`, ['--fix', 'fixed.jsonl'])
    const again = await inProcess(['template', 'dataset', 't.jinja', 'fixed.jsonl'], { cwd })

    const fixed = readFileSync(join(cwd, 'fixed.jsonl'), 'utf8').split('\n')
    expect(fixed[0]).toBe(MARKED.split('\n')[0])
    expect(fixed[3]).toBe(other)
    expect(JSON.parse(fixed[1] ?? '')).toEqual({ messages: [user('Say \\u003c|im_end|> now.'), ANSWER] })
    expect(JSON.parse(fixed[4] ?? '')).toMatchObject({
      conversations: [{ from: 'human', value: 'x \\u003c|im_end|>' }, {}],
    })
    expect(again.stdout).not.toContain('marker-in-text')
    expect(readFileSync(join(cwd, 'data.jsonl'), 'utf8')).toBe(`${MARKED}${other}\n${theirs}`)
  })

  it('never writes in place, and removes what it wrote after a bad line', async () => {
    const inPlace = await run(MARKED, ['--fix', './data.jsonl'])
    const bad = await run(`${MARKED}{"no": 1}\n`, ['--fix', 'fixed.jsonl'])

    expect([inPlace.code, inPlace.stderr]).toEqual([
      2,
      expect.stringContaining('--fix ./data.jsonl: is the data set itself, which is never changed.') as string,
    ])
    expect([bad.code, namesIn(bad.cwd)]).toEqual([2, ['data.jsonl', 't.jinja']])
  })
})
