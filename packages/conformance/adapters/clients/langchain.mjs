// LangChain's chat models (npm packages @langchain/openai and @langchain/anthropic, MIT) as clients under test.
//
//   npm install --prefix ~/langchain @langchain/core @langchain/openai @langchain/anthropic
//   callspec conformance run --client 'node langchain.mjs ~/langchain @langchain/openai'

import { installed, serveClient } from './client.mjs'

const name = process.argv[3] ?? '@langchain/openai'
const provider = await installed(name)

function openai(input, useResponsesApi) {
  const configuration = { baseURL: input.base_url, apiKey: input.api_key }
  return new provider.ChatOpenAI({
    ...{ model: 'callspec', apiKey: input.api_key, maxRetries: 0, streamUsage: true, useResponsesApi },
    configuration,
  })
}

function anthropic({ base_url, api_key }) {
  const anthropicApiUrl = base_url.replace(/\/v1$/, '')
  return new provider.ChatAnthropic({
    model: 'callspec',
    apiKey: api_key,
    maxRetries: 0,
    maxTokens: 1024,
    anthropicApiUrl,
  })
}

const READERS = {
  '@langchain/openai': {
    chat: { omits: ['reasoning'], read: (input) => read(openai(input, false), input) },
    responses: { read: (input) => read(openai(input, true), input) },
  },
  '@langchain/anthropic': {
    messages: { read: (input) => read(anthropic(input), input) },
  },
}

async function read(model, { request }) {
  const tools = (request.tools ?? []).map((each) => toolOf(each.function ?? each))
  const chunks = await model.bindTools(tools).stream('What is the weather, and what time is it?')
  let message
  for await (const chunk of chunks) message = message === undefined ? chunk : message.concat(chunk)
  if (message === undefined) return { items: [], finish: null, usage: null, error: null }
  const { response_metadata: about, additional_kwargs: more, usage_metadata: usage } = message
  const finish = about.finish_reason ?? about.stop_reason ?? more?.stop_reason ?? about.status ?? null
  return {
    items: [...itemsOf(message.content, more), ...callsOf(message)],
    finish: about.incomplete_details?.reason ?? finish,
    usage: usage ? { input: usage.input_tokens, output: usage.output_tokens } : null,
    error: null,
  }
}

function toolOf({ name: given, description, parameters, input_schema }) {
  return { type: 'function', function: { name: given, description, parameters: parameters ?? input_schema } }
}

/** Texts and thoughts in their order. */
function itemsOf(content, more) {
  if (typeof content === 'string') return [...thoughtsOf(more), { type: 'text', text: content }]
  const blocks = content.flatMap((block) => {
    if (block.type === 'text') return [{ type: 'text', text: block.text ?? '' }]
    if (block.type === 'thinking') return [{ type: 'reasoning', text: block.thinking ?? '' }]
    if (block.type === 'reasoning') return [{ type: 'reasoning', text: block.reasoning ?? '' }]
    return []
  })
  return blocks.some(({ type }) => type === 'reasoning') ? blocks : [...thoughtsOf(more), ...blocks]
}

function thoughtsOf(more) {
  const parts = more?.reasoning?.summary ?? []
  return parts.map((part) => ({ type: 'reasoning', text: part.text ?? '' }))
}

/** Calls, and those whose arguments are no JSON: LangChain keeps these apart, as they came. */
function callsOf({ tool_calls, invalid_tool_calls }) {
  return [...(tool_calls ?? []), ...(invalid_tool_calls ?? [])].map(({ id, name: given, args }) => ({
    ...{ type: 'call', id: id ?? '', name: given ?? '', arguments: args ?? '' },
  }))
}

const { version } = await installed('@langchain/core')
const readers = READERS[name] ?? {}
await serveClient(
  { name, version: `${provider.version} + @langchain/core ${version}` },
  // Calls are in a list of their own.
  Object.fromEntries(
    Object.entries(readers).map(([api, { omits = [], read: each }]) => [
      api,
      { omits: [...omits, 'order'], read: each },
    ]),
  ),
)
