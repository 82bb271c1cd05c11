// The npm package openai (Apache-2.0) as a client under test: its helpers that join streams of chat and responses.
//
//   npm install --prefix ~/openai openai
//   callspec conformance run --client 'node openai.mjs ~/openai'

import { installed, serveClient } from './client.mjs'

const { OpenAI, version } = await installed('openai')

function clientOf({ base_url, api_key }) {
  return new OpenAI({ baseURL: base_url, apiKey: api_key, maxRetries: 0 })
}

async function readChat(input) {
  const { stream: _, ...request } = input.request
  const completion = await clientOf(input).chat.completions.stream(request).finalChatCompletion()
  const [choice] = completion.choices
  const { message, finish_reason: finish } = choice
  const thought = message.reasoning_content ?? message.reasoning ?? ''
  const { usage } = completion
  return {
    items: [
      { type: 'reasoning', text: thought },
      { type: 'text', text: message.content ?? '' },
      ...(message.tool_calls ?? []).map(({ id, function: called }) => callOf(id, called)),
    ],
    finish,
    usage: usage ? { input: usage.prompt_tokens, output: usage.completion_tokens } : null,
    error: null,
  }
}

async function readResponses(input) {
  const { stream: _, ...request } = input.request
  const response = await clientOf(input).responses.stream(request).finalResponse()
  const { output, status, usage, error } = response
  return {
    items: output.flatMap(itemsOf),
    finish: status ?? null,
    usage: usage ? { input: usage.input_tokens, output: usage.output_tokens } : null,
    error: error?.message ?? null,
  }
}

function itemsOf(item) {
  if (item.type === 'function_call') return [callOf(item.call_id, item)]
  const type = item.type === 'reasoning' ? 'reasoning' : 'text'
  return [...(item.summary ?? []), ...(item.content ?? [])].map((part) => ({
    type,
    text: part.text ?? part.refusal ?? '',
  }))
}

function callOf(id, { name, arguments: args }) {
  return { type: 'call', id: id ?? '', name: name ?? '', arguments: args ?? '' }
}

await serveClient({ name: 'openai', version }, { chat: { read: readChat }, responses: { read: readResponses } })
