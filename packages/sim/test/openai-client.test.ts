import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSimServer } from '../src/server.ts'
import type { SimServer } from '../src/server.ts'

const TOOLS: OpenAI.ChatCompletionTool[] = [
  {
    type: 'function',
    function: { name: 'calculator', parameters: { type: 'object', properties: { expression: { type: 'string' } } } },
  },
]
const CALLING = {
  model: 'sim/perfect',
  messages: [{ role: 'user' as const, content: 'What is 37 * 48 - 129? Use the calculator.' }],
  tools: TOOLS,
}

describe('the official client of OpenAI', () => {
  let server: SimServer
  let client: OpenAI
  beforeAll(async () => {
    server = await startSimServer()
    client = new OpenAI({ baseURL: server.baseUrl, apiKey: 'EMPTY', maxRetries: 0 })
  })
  afterAll(async () => server.close())

  it('lists the models', async () => {
    const ids: string[] = []
    for await (const { id } of client.models.list()) ids.push(id)

    expect(ids).toContain('sim/perfect')
  })

  it('reads a call, and folds the streamed one to the same', async () => {
    const whole = await client.chat.completions.create(CALLING)
    const folded = await client.chat.completions.stream(CALLING).finalChatCompletion()

    const call = { type: 'function', function: { name: 'calculator', arguments: '{"expression": "37*48-129"}' } }
    expect(whole.choices[0]?.message.tool_calls).toMatchObject([call])
    expect(folded.choices[0]?.message.tool_calls).toMatchObject([call])
    expect(folded.choices[0]?.finish_reason).toBe('tool_calls')
    expect(folded.usage).toEqual(whole.usage)
  })

  it('goes on with a raw prompt', async () => {
    const prompt =
      '<|im_start|>system\n<tools>\n</tools><|im_end|>\n<|im_start|>user\nTranslate "good morning" into French.<|im_end|>\n<|im_start|>assistant\n'

    const { choices } = await client.completions.create({ model: 'sim/perfect', prompt })

    expect(choices[0]?.text).toBe('Bonjour.')
  })

  it('receives errors in the shape that it understands', async () => {
    const asked = client.chat.completions.create({ ...CALLING, model: 'sim/nobody' })

    await expect(asked).rejects.toBeInstanceOf(OpenAI.NotFoundError)
    await expect(asked).rejects.toThrow(/sim\/nobody/)
  })
})
