/** A server that answers every completion with the same text after a while: `node slow-server.js MILLISECONDS`. */
import { createServer } from 'node:http'

const TEXT = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'
const delay = Number(process.argv[2] ?? 50)
const usage = { prompt_tokens: 500, completion_tokens: 20, total_tokens: 520 }
const head = { id: 'c', created: 0, model: 'm' }

const whole = JSON.stringify({
  ...head,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }],
  usage,
})

const event = (fields) => `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...fields })}\n\n`
const streamed = [
  ...(TEXT.match(/[^]{1,4}/g) ?? []).map((content) => event({ choices: [{ index: 0, delta: { content } }] })),
  event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  event({ choices: [], usage }),
  'data: [DONE]\n\n',
].join('')

const server = createServer((request, response) => {
  const parts = []
  request.on('data', (part) => parts.push(part))
  request.on('end', () => {
    const isStream = Buffer.concat(parts).includes('"stream":true')
    const body = isStream ? streamed : whole
    const type = isStream ? 'text/event-stream' : 'application/json'
    setTimeout(() => response.writeHead(200, { 'content-type': type }).end(body), delay)
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
process.on('disconnect', () => process.exit())
