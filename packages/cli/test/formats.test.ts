import { FORMATS } from '@callspec/core'
import { describe, expect, it } from 'vitest'
import type { Finished } from './helpers/binary.ts'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'

function formats(words: readonly string[], files: object = {}): Promise<Finished> {
  return inProcess(['formats', ...words], { cwd: folderWith({ 'model/README.md': '', ...files }) })
}

interface Answer {
  readonly formats: readonly {
    readonly id: string
    readonly vllm: readonly string[]
    readonly stops: readonly string[]
  }[]
  readonly sure: string
  readonly because: readonly { readonly by: string }[]
  readonly notCovered: string | null
}

async function answer(words: readonly string[], files: object = {}): Promise<Answer> {
  const { code, stdout, stderr } = await formats([...words, '--json'], files)
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as Answer
}

const ids = ({ formats: found }: Answer): readonly string[] => found.map(({ id }) => id)

/** A template that writes calls in tags, as two formats have them. */
const CODER =
  '{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content or "" }}' +
  '{% for c in m.tool_calls or [] %}\n<tool_call>\n<function={{ c.function.name }}>\n{% for k in c.function.arguments %}' +
  '<parameter={{ k }}>\n{{ c.function.arguments[k] }}\n</parameter>\n{% endfor %}</function>\n</tool_call>{% endfor %}<|im_end|>\n{% endfor %}' +
  '{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}'

describe('callspec formats', () => {
  it('lists every format with the parsers of engines, and what else is known', async () => {
    const { stdout } = await formats([])

    for (const { id } of FORMATS) expect(stdout).toContain(`| ${id} `)
    expect(stdout).toContain('| minimax_m2      | minimax-m2      |')
    expect(stdout).toMatch(/known, not read: [^]*hy-v4[^]*inkling/)
    expect(stdout).toContain('Kimi K2.5 to K2.7: kimi-k2. Its prompt opens a thought; that is not covered.\n')
  })

  it('prints the same as JSON', async () => {
    const { stdout } = await formats(['--json'])

    const { formats: listed } = JSON.parse(stdout) as Answer
    expect(listed.map(({ id }) => id)).toEqual(FORMATS.map(({ id }) => id))
    expect(listed.every(({ vllm, stops }) => Array.isArray(vllm) && stops.length > 0)).toBe(true)
  })
})

describe('callspec formats MODEL', () => {
  it('guesses from a name, and says that it guesses', async () => {
    const { stdout } = await formats(['zai-org/GLM-4.6'])

    expect(stdout).toBe(`glm-4.5 (a guess)
  because its name is "zai-org/GLM-4.6" (its chat template, named in the README
  of the format)

  version strict
  prompt  compared with its chat template
  vLLM    --tool-call-parser glm45
  SGLang  --tool-call-parser glm45 (also glm)
  stops   <|observation|>  <|user|>  <|endoftext|>
`)
  })

  it('says of every model that it lists where its format comes from', async () => {
    const { models } = JSON.parse((await formats(['--json'])).stdout) as {
      models: readonly { title: string; formats: readonly string[]; version: string | null; source: string }[]
    }

    expect(models.length).toBeGreaterThan(40)
    expect(models.filter(({ source }) => source === '')).toEqual([])
    expect(models.filter(({ formats: ids, version }) => (ids.length === 0) !== (version === null))).toEqual([])
  })

  it('says what of a prompt is not covered', async () => {
    expect((await answer(['Qwen/Qwen3-Coder-Next'])).notCovered).toContain('true and null')
  })

  it('knows models that it cannot read', async () => {
    expect((await formats(['Inkling-1'])).stdout).toBe(
      'known, not read\n  because its name is "Inkling-1", and callspec cannot read inkling yet (vLLM\n  0.33.0 and SGLang 0.5.23 read it by inkling)\n',
    )
  })

  it('gives the parsers of the model where engines have some of its own', async () => {
    expect((await formats(['stepfun-ai/Step-3.5-Flash'])).stdout).toContain('  vLLM    --tool-call-parser step3p5\n')
    expect((await formats(['command-a-03-2025'])).stdout).toMatch(/^command-r7b or command4 \(a guess\)\n/)
  })

  it('says that a model is unknown, and which id was meant', async () => {
    expect(await formats(['my-model'])).toMatchObject({ code: 0, stdout: 'unknown\n' })
    expect((await formats(['qwen3-codr'])).stderr).toBe(
      'callspec: "qwen3-codr" is not a format. Did you mean qwen3-coder?\n',
    )
    expect((await formats(['minimxa-m2'])).stderr).toContain('Did you mean minimax-m2?')
  })

  it('is sure where the chat template writes calls, and lets the name tell apart what reads alike', async () => {
    const files = { 'Qwen3-Coder-30B/chat_template.jinja': CODER, 'other/chat_template.jinja': CODER }

    const named = await answer(['Qwen3-Coder-30B'], files)
    const unnamed = await answer(['other'], files)

    expect([ids(named), named.sure]).toEqual([['qwen3-coder'], 'sure'])
    expect([ids(unnamed), unnamed.sure]).toEqual([['qwen3-coder', 'qwen3.5'], 'sure'])
    expect(named.because.map(({ by }) => by)).toEqual(['chat template', 'name'])
  })

  it('believes the template more than the name', async () => {
    const found = await answer(['GLM-4.6'], {
      'GLM-4.6/tokenizer_config.json': JSON.stringify({ chat_template: CODER }),
    })

    expect(ids(found)).toEqual(['qwen3-coder', 'qwen3.5'])
  })

  it('believes the version of tekken.json, with any name of the model', async () => {
    const tekken = JSON.stringify({ config: { version: 'v13' } })

    const folder = await answer(['Mistral-Nemo'], { 'Mistral-Nemo/tekken.json': tekken })
    const file = await answer(['m/tekken.json'], { 'm/tekken.json': tekken })

    expect([ids(folder), folder.sure]).toEqual([['mistral-v13'], 'sure'])
    expect(ids(file)).toEqual(['mistral-v13'])
  })

  it('finds the markers of calls among the tokens of a vocabulary, which is likely and not sure', async () => {
    const tokens = ['<|tool_calls_section_begin|>', '<|tool_call_begin|>', '<|tool_call_end|>']
    const config = { added_tokens_decoder: Object.fromEntries(tokens.map((content, at) => [at, { content }])) }

    const found = await answer(['m'], { 'm/tokenizer_config.json': JSON.stringify(config) })

    expect([ids(found), found.sure]).toEqual([['kimi-k2', 'kimi-k2-thinking'], 'likely'])
  })

  it('guesses from the type in config.json', async () => {
    const found = await answer(['m'], { 'm/config.json': '{"model_type": "gpt_oss"}' })

    expect([ids(found), found.sure]).toEqual([['harmony'], 'a guess'])
  })

  it.each([
    [['model'], {}, 'callspec: model: not a model’s folder'.replace('’', "'")],
    [['./absent'], {}, 'callspec: ./absent: no such file or folder.'],
    [['m'], { 'm/config.json': '{' }, 'callspec: m/config.json: is not JSON: '],
  ])('names what is wrong with a folder in one line: %s', async (words, files, line) => {
    const { code, stdout, stderr } = await formats(words, files)

    expect([code, stdout]).toEqual([2, ''])
    expect(stderr.startsWith(line)).toBe(true)
    expect(stderr.trimEnd()).not.toContain('\n')
  })
})

describe('callspec formats NAME --response-template', () => {
  it('prints a format as a response template, and what it reads otherwise', async () => {
    const { code, stdout, stderr } = await inProcess(['formats', 'qwen3-coder', '--response-template'])

    const template = JSON.parse(stdout) as { fields: object }
    expect([code, Object.keys(template.fields)]).toEqual([0, ['thinking', 'tool_calls', 'content']])
    expect(stderr).toContain('A region ends at the first closer')
  })

  it('leaves join out for vLLM, and says what is lost', async () => {
    const { stdout, stderr } = await inProcess(['formats', 'qwen3-coder', '--response-template', '--for', 'vllm'])

    expect([stdout.includes('join'), stderr.includes('vLLM refuses join')]).toEqual([false, true])
  })

  it.each([
    ['llama-4', 1, 'cannot be a response template. Its calls are Python expressions'],
    ['react', 1, 'no response template has been written'],
    ['quen', 2, '"quen" is unknown. callspec formats lists them.'],
  ])('says why %s is not one', async (name, code, message) => {
    const run = await inProcess(['formats', name, '--response-template'])

    expect([run.code, run.stdout, run.stderr]).toEqual([code, '', expect.stringContaining(message)])
  })
})
