/**
 * Makes calls with one client and prints what they took: `node call-loop.js CLIENT PORT CALLS WIDTH`. A process of its own
 * for each, so that neither memory nor the optimiser's work is shared.
 */
import OpenAI from 'openai'
import { Agent, request } from 'undici'
import { createClient } from '../dist/client/client.js'

const [, , name, port, calls, width] = process.argv
const baseUrl = `http://127.0.0.1:${port}/v1`
const prompt = { model: 'm', messages: [{ role: 'user', content: 'What is the weather? '.repeat(80) }] }
const parameters = { seed: 1, stop: ['✿RESULT✿', '✿RETURN✿'] }
const body = { ...prompt, ...parameters }

const ours = (stream) => {
  const client = createClient({ baseUrl, apiKey: 'EMPTY', timeoutMs: 60_000, maxRetries: 3, stream })
  return async () => {
    const outcome = await client.complete({ ...prompt, parameters })
    if (outcome.kind === 'failed') throw outcome.error
    return outcome.value.text
  }
}

const CLIENTS = {
  callspec: () => ours(false),
  'callspec, streamed': () => ours(true),
  openai: () => {
    const openai = new OpenAI({ baseURL: baseUrl, apiKey: 'EMPTY', maxRetries: 0 })
    return async () => (await openai.chat.completions.create(body)).choices[0].message.content
  },
  'openai, streamed': () => {
    const openai = new OpenAI({ baseURL: baseUrl, apiKey: 'EMPTY', maxRetries: 0 })
    return async () => {
      let text = ''
      for await (const chunk of await openai.chat.completions.create({ ...body, stream: true }))
        text += chunk.choices[0]?.delta.content ?? ''
      return text
    }
  },
  undici: () => {
    const dispatcher = new Agent()
    const headers = { 'content-type': 'application/json' }
    const url = `${baseUrl}/chat/completions`
    return async () => {
      const answer = await request(url, { method: 'POST', headers, body: JSON.stringify(body), dispatcher })
      return (await answer.body.json()).choices[0].message.content
    }
  },
}

const call = CLIENTS[name]()
let left = Number(calls)
const cpu = process.cpuUsage()
const began = performance.now()
await Promise.all(
  Array.from({ length: Number(width) }, async () => {
    while (left-- > 0) if (!(await call()).includes('get_weather')) throw new Error('not the answer')
  }),
)
const wallMs = performance.now() - began
const { user, system } = process.cpuUsage(cpu)
const rssMb = process.resourceUsage().maxRSS / 1024
console.log(JSON.stringify({ wallMs, cpuMs: (user + system) / 1000, rssMb }))
process.exit()
