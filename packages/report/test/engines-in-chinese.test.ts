import { createHash } from 'node:crypto'
import { openCompatData } from '@callspec/compat-data'
import { expect, it } from 'vitest'
import { askedParts } from '../src/compat/engines-in-chinese.ts'

const engines = openCompatData().index.engines.map(({ name, what }) => [name, what] as const)

it.each(engines)('a Chinese page says what was asked of %s', (engine, what) => {
  expect(askedParts({ engine, what }).markup).toMatch(/<span lang="zh">[^<]*\p{Script=Han}[^<]*<\/span>$/u)
})

it('is the Chinese of these sentences: translate what has changed', () => {
  const digests = engines.map(
    ([name, what]) => `${name} ${createHash('sha256').update(what).digest('hex').slice(0, 8)}`,
  )

  expect(digests.toSorted()).toMatchInlineSnapshot(`
    [
      "ai-sdk 8a07c024",
      "cohere-melody f5bd76a5",
      "dynamo 9026a042",
      "langchain 9a1d9b9e",
      "llama.cpp aca1b128",
      "llamaindex 863a76bc",
      "mistral-common f895721c",
      "ollama f20a8bad",
      "openai-harmony d0cd2d02",
      "sglang fe9f0eac",
      "smg 6e96e195",
      "transformers 29583160",
      "vllm a5032ac1",
    ]
  `)
})

it('says it in English of a report of your own', () => {
  expect(askedParts({ engine: 'mine', what: 'my <parser>' }).markup).toBe('<span lang="en-GB">my &lt;parser&gt;</span>')
})
