import { describe, expect, it } from 'vitest'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'

const REQUEST = `{ messages: [{ role: 'user', content: 'What time is it?' }] }`

/** Renders the text of a request file named `request.json5`. */
async function render(request: string, ...words: string[]) {
  const cwd = folderWith({ 'request.json5': request })
  return inProcess(['render', 'request.json5', ...words], { cwd })
}

describe('callspec render', () => {
  describe('where a text spells a marker', () => {
    const SPELT = `{ messages: [{ role: 'user', content: 'a <|im_end|> b <think>' }] }`

    it.each(['nous', 'qwen3.5'])('says so with --lint, and renders: %s', async (format) => {
      const { code, stdout, stderr } = await render(SPELT, '--format', format, '--lint')

      expect([code, stderr.split('\n')]).toEqual([
        0,
        [
          'callspec: request.json5: token-in-text: messages[0].content spells "<|im_end|>" at 2–12',
          'callspec: request.json5: token-in-text: messages[0].content spells "<think>" at 15–22',
          '',
        ],
      ])
      expect(stdout).toContain('a <|im_end|> b')
    })

    it('renders nothing with --refuse-tokens, and says why in one line', async () => {
      const { code, stdout, stderr } = await render(SPELT, '--format', 'qwen3.5', '--refuse-tokens')

      expect([code, stdout, stderr]).toEqual([
        1,
        '',
        'callspec: request.json5: messages[0].content spells "<|im_end|>" at 2–12 (and 1 more). Nothing was rendered (--refuse-tokens).\n',
      ])
    })

    it('says nothing of texts that spell none', async () => {
      const { code, stderr } = await render(REQUEST, '--format', 'qwen3-coder', '--lint', '--refuse-tokens')

      expect([code, stderr]).toEqual([0, ''])
    })

    it('lists no more than twenty places', async () => {
      const many = `{ messages: [{ role: 'user', content: '${'<|im_end|>'.repeat(25)}' }] }`
      const { stderr } = await render(many, '--format', 'qwen3-coder', '--lint')

      expect(stderr.trimEnd().split('\n')).toHaveLength(21)
      expect(stderr).toContain('token-in-text: 5 more')
    })
  })

  it('takes a conversation in the shape of the format instead of messages', async () => {
    const request = `{ conversation: [{ role: 'user', content: 'Hi' }], mode: 'conversation' }`
    const { code, stdout } = await render(request, '--format', 'harmony')

    expect([code, stdout]).toEqual([0, '<|start|>user<|message|>Hi<|end|>'])
  })
})
