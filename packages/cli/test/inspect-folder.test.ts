import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderWith } from './helpers/folder.ts'
import { gguf } from './helpers/gguf.ts'
import { inProcess } from './helpers/in-process.ts'

const CHAT =
  '{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}{% for c in m.tool_calls or [] %}<tool_call>\n{{ c.function | tojson }}\n</tool_call>{% endfor %}<|im_end|>\n' +
  '{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}'
const GGUF = gguf([
  ['tokenizer.ggml.tokens', { type: 'texts', value: ['<s>', '<|im_end|>'] }],
  ['tokenizer.chat_template', { type: 'text', value: CHAT }],
])

interface Inspected {
  readonly files: readonly string[]
  readonly format: { readonly formats: readonly { readonly id: string }[] }
  readonly template: object | null
  readonly engines: readonly { readonly engine: string; readonly format: string }[]
}

async function answer(words: readonly string[], options: { readonly cwd: string }): Promise<Inspected> {
  const { stdout } = await inProcess(['inspect', ...words, '--json'], options)
  return JSON.parse(stdout) as Inspected
}

describe('callspec inspect', () => {
  it('takes the GGUF of a folder without a template, as the playground does, and names it in its commands', async () => {
    const files = { 'm/toy.gguf': GGUF, 'm/mmproj-toy.gguf': '', 'm/config.json': '{}', 'm/readme.md': '' }
    const cwd = folderWith(files)

    const { stdout } = await inProcess(['inspect', 'm'], { cwd })
    const { format, files: read, template } = await answer(['m'], { cwd })
    const commands = Array.from(stdout.matchAll(/→ callspec (.*)/g), ([, line = '']) => line)

    expect([format.formats[0]?.id, read, template === null]).toEqual(['nous', ['config.json', 'toy.gguf'], false])
    expect(commands.filter((line) => line.includes('m/toy.gguf')).length).toBeGreaterThan(3)
    expect((await inProcess(['template', 'lint', 'm/toy.gguf'], { cwd })).stderr).toBe('')
  })

  it('shows what engines answered to the version of a model, and to its format where the same parser reads both', async () => {
    const config = '{"model_type": "x"}'
    const cwd = folderWith({ 'Qwen3.6-27B/config.json': config, 'NVIDIA-Nemotron-3-Nano-30B-A3B/config.json': config })
    const answered = async (model: string, name: string): Promise<unknown> =>
      (await answer([model], { cwd })).engines.filter(({ engine }) => engine === name).map(({ format }) => format)

    expect(await answered('Qwen3.6-27B', 'vllm')).toEqual(['qwen3.5@qwen3.6', 'qwen3.5'])
    expect(await answered('Qwen3.6-27B', 'llama.cpp')).toEqual(['qwen3.5'])
    expect(await answered('NVIDIA-Nemotron-3-Nano-30B-A3B', 'vllm')).toEqual(['qwen3.5@nemotron-3'])
    const { stdout } = await inProcess(['inspect', 'NVIDIA-Nemotron-3-Nano-30B-A3B'], { cwd })
    expect(stdout).toContain('Engines  recorded answers to the strict cases of qwen3.5@nemotron-3 and')
    expect(stdout).toMatch(/--reasoning-parser nemotron_v3\n {4}\d+ of \d+ right of qwen3\.5@nemotron-3/)
  })

  it('takes a template, if there is one, before a GGUF', async () => {
    const cwd = folderWith({ 'm/toy.gguf': GGUF, 'm/chat_template.jinja': CHAT })

    expect((await answer(['m'], { cwd })).files).toEqual(['chat_template.jinja'])
  })

  it.skipIf(process.platform === 'win32')('refuses a pipe for a GGUF, and reads one for a template', async () => {
    const cwd = folderWith({})
    for (const name of ['toy.gguf', 'pipe']) execFileSync('mkfifo', [join(cwd, name)])
    const writing = writeFile(join(cwd, 'pipe'), CHAT)

    const [refused, read] = [await inProcess(['inspect', 'toy.gguf'], { cwd }), await answer(['pipe'], { cwd })]
    await writing

    expect(refused).toEqual({
      ...{ code: 2, stdout: '' },
      stderr: 'callspec: toy.gguf: is not a regular file. A GGUF is read only from one.\n',
    })
    expect(read.format.formats[0]?.id).toBe('nous')
  })
})
