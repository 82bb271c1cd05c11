// callspec's reader as a client under test. The argument says how careful it is:
//   strict    reports every broken law
//   silent    reports nothing, and calls every reply finished
//   elsewhere sends its request to another path
//   whole     does not ask for a stream
//   deaf      answers without a request
import { createInterface } from 'node:readline'
import { readReply, TOLERATED } from '@callspec/apis'

const [mood = 'strict'] = process.argv.slice(2)
const PATHS = { chat: '/chat/completions', messages: '/messages', responses: '/responses' }

async function read({ api, base_url: url, request }) {
  if (mood === 'deaf') return { items: [], finish: 'stop', usage: null, error: null }
  const path = mood === 'elsewhere' ? '/completions' : PATHS[api]
  const body = JSON.stringify(mood === 'whole' ? { ...request, stream: false } : request)
  const response = await fetch(`${url}${path}`, { method: 'POST', body })
  const text = await textOf(response)
  const reply = readReply(text, api, { holdsCall: () => false })
  const broken = reply.breaches.find(({ law }) => !TOLERATED.has(law))
  const items = reply.items.map(({ kind, ...more }) => ({ type: kind, ...more }))
  if (mood === 'silent') return { items, finish: reply.finish ?? 'stop', usage: reply.usage, error: null }
  return { items, finish: reply.finish, usage: reply.usage, error: reply.error ?? broken?.law ?? null }
}

/** What arrived, also of a connection that breaks off. */
async function textOf(response) {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const bytes of response.body) text += decoder.decode(bytes, { stream: true })
  } catch {
    return text
  }
  return text
}

for await (const line of createInterface({ input: process.stdin })) {
  const { cmd, seq, input } = JSON.parse(line)
  if (cmd === 'stop') break
  const declared = { protocol: 1, name: `own ${mood}`, version: '1', supports: [{ operations: ['client'] }] }
  const output = cmd === 'run' ? await read(input).catch((error) => ({ items: [], error: String(error) })) : null
  console.log(JSON.stringify(cmd === 'start' ? declared : { seq, output }))
}
