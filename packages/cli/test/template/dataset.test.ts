import { describe, expect, it } from 'vitest'
import type { Finished } from '../helpers/binary.ts'
import { folderWith } from '../helpers/folder.ts'
import { inProcess } from '../helpers/in-process.ts'

/** ChatML with calls as nous has them, and thoughts of the last turn alone. */
const TEMPLATE =
  '{% for m in messages %}<|im_start|>{{ m.role }}\n' +
  '{% if m.reasoning_content and loop.last %}<think>\n{{ m.reasoning_content }}\n</think>\n\n{% endif %}{{ m.content or "" }}' +
  '{% for c in m.tool_calls or [] %}\n<tool_call>\n{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}\n</tool_call>{% endfor %}' +
  '<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}'

const ASK = { role: 'user', content: 'Weather in Oslo?' }
const CALL = {
  role: 'assistant',
  content: 'Let me look.',
  tool_calls: [{ type: 'function', function: { name: 'weather', arguments: { city: 'Oslo', days: 1 } } }],
}
const RESULT = { role: 'tool', content: '{"sky": "grey"}' }
const TOLD = { role: 'assistant', content: 'It is grey.' }

function dataset(
  lines: readonly unknown[],
  { template = TEMPLATE, further = [] }: { readonly template?: string; readonly further?: readonly string[] } = {},
): Promise<Finished> {
  const data = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')
  const cwd = folderWith({ 't.jinja': template, 'data.jsonl': data })
  return inProcess(['template', 'dataset', 't.jinja', 'data.jsonl', ...further], { cwd })
}

interface Finding {
  readonly rule: string
  readonly count: number
  readonly of: number
  readonly examples: readonly { readonly where: string; readonly message: number | null; readonly detail: string }[]
}

async function findings(messages: readonly object[], template = TEMPLATE): Promise<readonly Finding[]> {
  const { stdout } = await dataset([{ messages }], { template, further: ['--json'] })
  return (JSON.parse(stdout) as { findings: readonly Finding[] }).findings
}

describe('template dataset', () => {
  it('reads conversations of ShareGPT as the messages that they mean', async () => {
    const call = JSON.stringify({ name: 'weather', arguments: { city: 'Oslo', days: 1 } })
    const conversations = [
      { from: 'human', value: ASK.content },
      { from: 'function_call', value: call },
      { from: 'observation', value: RESULT.content },
      { from: 'gpt', value: TOLD.content },
    ]
    const silent = { ...CALL, content: '' }
    const messages = [{ role: 'system', content: 'Be short.' }, ASK, silent, RESULT, TOLD]

    const theirs = await dataset([{ conversations, system: 'Be short.' }], { further: ['--json'] })
    const ours = await dataset([{ messages }], { further: ['--json'] })
    const lossy = { template: TEMPLATE.replace('{{ c.function.name }}', 'x') }

    expect([theirs.code, theirs.stdout]).toEqual([0, ours.stdout])
    expect(theirs.stdout).toContain('"calls": 1')
    expect((await dataset([{ conversations }], lossy)).stdout).toBe(
      (await dataset([{ messages: messages.slice(1) }], lossy)).stdout,
    )
  })

  it('names a speaker of ShareGPT that it does not know', async () => {
    const { code, stderr } = await dataset([{ conversations: [{ from: 'narrator', value: 'x' }] }])

    expect([code, stderr]).toEqual([
      2,
      'callspec: data.jsonl:1: "from" of turn 1 is "narrator". Known are human, user, gpt, assistant, model, chatgpt, bot, tool, ' +
        'observation, function_response, system, function_call.\n',
    ])
  })

  it('finds nothing in conversations that the template shows and the format reads', async () => {
    const { code, stdout } = await dataset([{ messages: [ASK, CALL, RESULT, TOLD] }, [ASK, TOLD]])

    expect({ code, lines: stdout.split('\n') }).toEqual({
      code: 0,
      lines: [
        'data.jsonl under t.jinja: 2 conversations, 3 turns of the model',
        'checked: the prompts of 3 turns, 1 call, 6 messages',
        'nothing found',
        '',
      ],
    })
  })

  it('shows where the conversation does not begin with the prompt of a turn', async () => {
    const messages = [
      ASK,
      { ...TOLD, reasoning_content: 'Grey or blue?' },
      ASK,
      { ...CALL, reasoning_content: 'Again.' },
    ]
    const late = TEMPLATE.replace('{{ m.content or "" }}', '{{ m.content or "" }}{% if not loop.last %} {% endif %}')

    const { code, stdout } = await dataset([{ messages }], { template: late })

    expect(code).toBe(1)
    expect(stdout).toContain(
      [
        '✗ prompt-not-prefix  2 of 2 turns (100.0 %): the whole conversation does not begin with the prompt of a turn',
        '  data.jsonl:1 messages[1]  from character 33 on: eather␣in␣Oslo?<|im_end|>⏎<|im_start|>assista | eather␣in␣Oslo?␣<|im_end|>⏎<|im_start|>assist',
      ].join('\n'),
    )
  })

  it('names thoughts and messages of which nothing is shown', async () => {
    const found = await findings(
      [ASK, { ...TOLD, reasoning_content: 'Grey or blue?' }, ASK, CALL, RESULT],
      TEMPLATE.replace('{% for m in messages %}', '{% for m in messages if m.role != "tool" %}'),
    )

    expect(
      found.map(({ rule, count, of, examples }) => [rule, count, of, examples[0]?.message, examples[0]?.detail]),
    ).toEqual([
      ['message-lost', 1, 5, 4, 'tool: "{"sky": "grey"}"'],
      ['reasoning-lost', 1, 1, 1, '"Grey or blue?"'],
    ])
  })

  it('counts text within JSON as shown', async () => {
    const template = TEMPLATE.replace('m.content or ""', 'm.content | tojson if m.role == "user" else m.content')
    const found = await findings([{ role: 'user', content: 'a "b"\nc' }, TOLD], template)

    expect(found).toEqual([])
  })

  it('says nothing of messages once it has searched a prompt often enough', async () => {
    const messages = Array.from({ length: 400 }, (_, at) => ({ role: 'user', content: `Message number ${at}.` }))
    const template = '{% for m in messages %}{{ m.role }}: nothing at all.\n{% endfor %}'

    const [found] = await findings(messages, template)

    expect(found?.rule).toBe('message-lost')
    expect(found?.count).toBeLessThan(64)
    expect(found?.count).toBe(found?.of)
  })

  it('names calls that no format reads, such as arguments that are quoted twice', async () => {
    const found = await findings([
      ASK,
      { ...CALL, tool_calls: [{ function: { name: 'weather', arguments: '{"city": 1.0}' } }] },
    ])
    const plain = await findings(
      [ASK, CALL],
      TEMPLATE.replace('<tool_call>', '<call>').replace('</tool_call>', '</call>'),
    )

    expect([...found, ...plain].map(({ rule, count, of }) => [rule, count, of])).toEqual([
      ['call-not-read', 1, 1],
      ['call-not-read', 1, 1],
    ])
  })

  it('renders again what was read, and shows where the bytes part', async () => {
    const found = await findings([ASK, TOLD], TEMPLATE.replace('m.content or ""', '"Said: " ~ m.content'))

    expect(found.map(({ rule, examples }) => [rule, examples[0]?.message, examples[0]?.detail])).toEqual([
      [
        'reply-not-same',
        1,
        'from character 78 on: ssistant⏎Said:␣It␣is␣grey.<|im_end|>⏎ | ssistant⏎Said:␣Said:␣It␣is␣grey.<|im_end|>⏎',
      ],
    ])
  })

  it('counts conversations and prompts that the template refuses', async () => {
    const strict = `{% if messages[0].role != "user" %}{{ raise_exception("user first") }}{% endif %}${TEMPLATE}`

    const whole = await findings([TOLD, ASK], strict)
    const prompt = await findings(
      [ASK, TOLD],
      `{% if messages | length == 1 %}{{ raise_exception("one") }}{% endif %}${TEMPLATE}`,
    )

    expect(
      [...whole, ...prompt].map(({ rule, examples }) => [rule, examples[0]?.message, examples[0]?.detail]),
    ).toEqual([
      ['refused', null, 'raise_exception: user first'],
      ['prompt-refused', 1, 'raise_exception: one'],
    ])
  })

  it('takes tools that are JSON text, as tables have them', async () => {
    const template =
      '{% for t in tools or [] %}{{ t.name }}{% endfor %}' + TEMPLATE.replace('m.content or ""', 'm.content')
    const { code } = await dataset([{ messages: [ASK, TOLD], tools: '[{"name": "weather"}]' }], { template })

    expect(code).toBe(0)
  })

  it.each([
    ['a line that is no JSON', ['{"messages": []}', '{'], 'data.jsonl:2: is not JSON: '],
    ['a line without messages', [{ conversations: [] }], 'data.jsonl:1: has no list of "messages" or "conversations".'],
    [
      'tools that are no list',
      [{ messages: [], tools: '{}' }],
      'data.jsonl:1: "tools" is neither a list nor JSON text of one.',
    ],
    ['an empty file', [], 'data.jsonl: contains no conversation.'],
  ])('refuses %s', async (_, lines, message) => {
    const { code, stdout, stderr } = await dataset(lines)

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr.startsWith(`callspec: ${message}`)).toBe(true)
  })
})
