// The npm package @anthropic-ai/sdk (MIT) as a client under test: its helper that joins streams of messages.
//
//   npm install --prefix ~/anthropic @anthropic-ai/sdk
//   callspec conformance run --client 'node anthropic.mjs ~/anthropic'

import { installed, serveClient } from './client.mjs'

const { Anthropic, version } = await installed('@anthropic-ai/sdk')

async function readMessages({ base_url, api_key, request }) {
  const client = new Anthropic({ baseURL: base_url.replace(/\/v1$/, ''), apiKey: api_key, maxRetries: 0 })
  const { stream: _, ...body } = request
  const message = await client.messages.stream(body).finalMessage()
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } = message.usage
  return {
    items: message.content.flatMap(itemsOf),
    finish: message.stop_reason,
    usage: {
      input: input_tokens + (cache_read_input_tokens ?? 0) + (cache_creation_input_tokens ?? 0),
      output: output_tokens,
    },
    error: null,
  }
}

function itemsOf(block) {
  if (block.type === 'text') return [{ type: 'text', text: block.text }]
  if (block.type === 'thinking') return [{ type: 'reasoning', text: block.thinking }]
  if (block.type !== 'tool_use') return []
  return [{ type: 'call', id: block.id ?? '', name: block.name ?? '', arguments: block.input ?? null }]
}

await serveClient({ name: '@anthropic-ai/sdk', version }, { messages: { read: readMessages } })
