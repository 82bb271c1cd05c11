import { loadQwenTokenizer } from '@callspec/tokenizer-qwen'
import { describe, expect, it } from 'vitest'
import type { TextTokensOptions } from '../../src/template/text-tokens.ts'
import { examineTextTokens } from '../../src/template/text-tokens.ts'
import { answering } from '../helpers/answering.ts'

const TEMPLATE =
  "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] or '' }}{% for c in m['tool_calls'] or [] %}{{ c | tojson }}{% endfor %}<|im_end|>\n{% endfor %}"

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: string | null }[]
}

const tokenizer = loadQwenTokenizer()

/** Counts special tokens as one token each. */
function withSpecials(text: string): number {
  return tokenizer.count(text)
}

/** Counts special tokens as the text that they are spelled with. */
function withoutSpecials(text: string): number {
  return text.split(/(?<=<)(?=\|)|(?<=\|)(?=>)/).reduce((sum, part) => sum + tokenizer.count(part), 0)
}

/** A server whose usage is what `count` makes of the texts of users and results. */
function counting(
  count: (text: string, role: string) => number | null,
  template: string | null = TEMPLATE,
): Promise<string> {
  return answering({
    ...(template === null ? {} : { '/props': { body: { chat_template: template } } }),
    '/v1/chat/completions': (body) => {
      const { messages } = JSON.parse(body) as Asked
      const counts = messages.map(({ content, role }) => count(content ?? '', role))
      if (counts.includes(null)) return { body: { choices: [] } }
      return { body: { usage: { prompt_tokens: counts.reduce<number>((sum, each) => sum + (each ?? 0), 7) } } }
    },
  })
}

async function verdict(url: string, options: Partial<TextTokensOptions> = {}): Promise<readonly [string, string]> {
  const server = { url: `${url}/v1`, apiKey: null, headers: {}, timeoutMs: 5000 }
  const found = await examineTextTokens(server, { model: 'm', format: null, quick: false, ...options })
  expect(found.check).toBe('text-tokens')
  return [found.verdict, found.evidence]
}

describe.each([false, true])('text-tokens, quick: %s', (quick) => {
  it('warns of a server that makes control tokens of texts', async () => {
    const [found, evidence] = await verdict(await counting(withSpecials), { quick })

    expect(found).toBe('warn')
    expect(evidence).toMatch(
      /^makes control tokens of users' texts and results\. <\|im_end\|>: in a user text 1\.0 tokens per marker, [3-9]\.\d per text of its length; in a result 1\.0 /,
    )
  })

  it('is well with a server that makes none', async () => {
    const [found, evidence] = await verdict(await counting(withoutSpecials), { quick })

    expect([found, evidence]).toEqual(['ok', expect.stringContaining('makes no control tokens of texts') as string])
  })

  it('warns where only results become tokens', async () => {
    const url = await counting((text, role) => (role === 'tool' ? withSpecials(text) : withoutSpecials(text)))

    expect(await verdict(url, { quick })).toEqual(['warn', expect.stringMatching(/^makes control tokens of results\./)])
  })

  it.each([
    ['has no usage', () => null],
    ['always counts the same', () => 5],
    ['counts characters', (text: string) => Math.ceil(text.length / 4)],
    ['removes markers', (text: string) => withSpecials(text.replaceAll('<|im_end|>', ''))],
  ])('does not know where a server %s', async (_, count) => {
    expect((await verdict(await counting(count), { quick }))[0]).toBe('unknown')
  })
})

describe('text-tokens', () => {
  it('does not know where usage leaves out what a cache had', async () => {
    let before = 0
    const url = await counting((text) => {
      const count = withSpecials(text)
      const fresh = Math.abs(count - before) * 3
      before = count
      return fresh
    })

    expect((await verdict(url))[0]).toBe('unknown')
  })

  it('takes the marker of a format, and says what to do where none is known', async () => {
    const url = await counting(withSpecials, null)

    expect(await verdict(url)).toEqual(['unknown', 'no end-of-turn marker is known'])
    expect((await verdict(url, { format: 'nous' }))[0]).toBe('warn')
  })
})
