import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { FORMATS } from '@callspec/core'
import { describe, expect, it } from 'vitest'
import type { Finished } from '../helpers/binary.ts'
import { folderWith } from '../helpers/folder.ts'
import { inProcess } from '../helpers/in-process.ts'

const QWEN3_CODER = resolve(
  import.meta.dirname,
  '../../../../../shared/vectors/templates/texts/5a38bfa05833266240066aedc497decc9b00cc0d3e3b8cceea98cf530196ab06.jinja',
)

/** Calls as nous has them, in ChatML. */
const HERMES =
  '{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content or "" }}' +
  '{% for c in m.tool_calls or [] %}\n<tool_call>\n{"name": "{{ c.function.name }}", "arguments": ' +
  '{{ c.function.arguments if c.function.arguments is string else c.function.arguments | tojson }}}\n</tool_call>{% endfor %}<|im_end|>\n{% endfor %}' +
  '{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}'

/** A format of a user: prompts of one line per message, calls as nous has them. */
const MODULE = `import { formatNamed } from '@callspec/core'
export const format = {
  ...formatNamed('nous'),
  id: 'lines',
  prompt: ({ messages, tools }) =>
    tools === null
      ? { kind: 'prompted', parts: messages.map((m) => ({ kind: 'text', text: m.get('role') + '\\n' })) }
      : { kind: 'refused', reason: 'no tools here' },
}
`

function check(template: string, words: readonly string[]): Promise<Finished> {
  return inProcess(['template', 'check', 't.jinja', ...words], { cwd: folderWith({ 't.jinja': template }) })
}

interface Result {
  readonly prompts: { readonly conversations: number; readonly differences: readonly object[] } | null
  readonly calls: {
    readonly messages: number
    readonly deviations: readonly { readonly id: string; readonly conversation: string }[]
  }
}

async function deviations(template: string): Promise<readonly (readonly [string, string])[]> {
  const { stdout } = await check(template, ['--format', 'nous', '--json'])
  const { calls } = JSON.parse(stdout) as Result
  return calls.deviations.map(({ id, conversation }) => [id, conversation])
}

describe('template check', () => {
  it('reads back every call that a template writes as the format does', async () => {
    const { stdout } = await check(HERMES, ['--format', 'nous', '--json'])

    const { calls } = JSON.parse(stdout) as Result
    expect(calls.deviations).toEqual([])
    expect(calls.messages).toBeGreaterThan(20)
  })

  it('names calls that the format reads otherwise', async () => {
    const twice = HERMES.replace('c.function.arguments if c.function.arguments is string else ', '')

    expect(await deviations(twice)).toEqual([['call-altered', 'arguments-text']])
  })

  it('names calls that the format does not read', async () => {
    const first = HERMES.replace('in m.tool_calls or []', 'in (m.tool_calls or [])[:1]')

    expect(await deviations(first)).toEqual([
      ['call-not-read', 'parallel'],
      ['call-not-read', 'parallel-swapped'],
    ])
  })

  it('names text next to a call that is not shown', async () => {
    const silent = HERMES.replace('m.content or ""', '"" if m.tool_calls else m.content or ""')

    expect(await deviations(silent)).toEqual([['text-lost', 'text-with-call']])
  })

  it('shows where a prompt is not the format’s, and what was written', async () => {
    const { code, stdout } = await check(HERMES.replace('"name"', '"function"'), ['--format', 'nous'])

    expect(code).toBe(1)
    expect(stdout).toMatch(/^- nous: .+\n\+ t\.jinja {2}rendered here\n\n✗ /)
    expect(stdout).toContain('\n✗ call: call-not-read\n  read: 0 of 1 call')
    expect(stdout).toContain('\n  written: <tool_call>\\n{"function": "find_trains"')
    expect(stdout).toMatch(
      /The prompts of \d+ of \d+ conversations differ from those of nous\.\n\d+ messages .+\nTexts can be forged: user-forges-turn, .+\n$/,
    )
  })

  it('takes a format of the user, and what both sides refuse for no difference', async () => {
    const cwd = folderWith({
      'format.mjs': MODULE.replace('@callspec/core', resolve(import.meta.dirname, '../../../core/dist/index.js')),
      't.jinja':
        '{% if tools is not none %}{{ raise_exception("x") }}{% endif %}{% for m in messages %}{{ m.role }}\n{% endfor %}',
    })

    const { code, stdout } = await inProcess(['template', 'check', 't.jinja', '--format', './format.mjs'], { cwd })

    expect(stdout).toMatch(/\n\nAll prompts of \d+ conversations are those of lines\.\n/)
    expect(code).toBe(1)
  })

  it.each(FORMATS.map((format) => format.id))('takes %s', async (id) => {
    const { code, stderr } = await check(HERMES, ['--format', id])

    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  })

  it.skipIf(!existsSync(QWEN3_CODER))('finds nothing in the template that a format was taken from', async () => {
    const { stdout } = await inProcess(['template', 'check', QWEN3_CODER, '--format', 'qwen3-coder', '--json'])

    const { prompts, calls } = JSON.parse(stdout) as Result
    expect(prompts).toEqual({ conversations: expect.any(Number) as number, differences: [] })
    expect(calls.deviations).toEqual([])
  })

  it.each([
    [[], 'Which format? Give --format NAME (callspec formats lists them), '],
    [['--format', 'nuos'], 'Unknown format "nuos". Did you mean'],
    [['other.jinja', '--format', 'nous'], 'callspec template check needs one SOURCE'],
  ])('says what is missing or wrong in %j', async (words, message) => {
    const { code, stdout, stderr } = await check(HERMES, words)

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr.slice('callspec: '.length, 'callspec: '.length + message.length)).toBe(message)
  })
})
