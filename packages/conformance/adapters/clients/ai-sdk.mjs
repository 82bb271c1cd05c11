// The AI SDK (npm package ai, Apache-2.0) with one of its providers as a client under test.
//
//   npm install --prefix ~/ai-sdk ai @ai-sdk/openai @ai-sdk/anthropic @ai-sdk/openai-compatible
//   callspec conformance run --client 'node ai-sdk.mjs ~/ai-sdk @ai-sdk/openai'

import { errorText, installed, serveClient } from './client.mjs'

globalThis.AI_SDK_LOG_WARNINGS = false

const { streamText, jsonSchema, tool, version } = await installed('ai')
const name = process.argv[3] ?? '@ai-sdk/openai'
const provider = await installed(name)

/** By provider and API what makes its model. */
const MODELS = {
  '@ai-sdk/openai': {
    chat: ({ baseURL, apiKey }) => provider.createOpenAI({ baseURL, apiKey }).chat('callspec'),
    responses: ({ baseURL, apiKey }) => provider.createOpenAI({ baseURL, apiKey }).responses('callspec'),
  },
  '@ai-sdk/anthropic': {
    messages: ({ baseURL, apiKey }) => provider.createAnthropic({ baseURL, apiKey })('callspec'),
  },
  '@ai-sdk/openai-compatible': {
    chat: ({ baseURL, apiKey }) =>
      provider.createOpenAICompatible({ name: 'callspec', baseURL, apiKey, includeUsage: true })('callspec'),
  },
}

/** What a provider does not give of an API: OpenAI's chat has no reasoning. */
const OMITS = { '@ai-sdk/openai': { chat: ['reasoning'] } }

async function read(makeModel, { base_url, api_key, request }) {
  const { fullStream } = streamText({
    model: makeModel({ baseURL: base_url, apiKey: api_key }),
    prompt: 'What is the weather, and what time is it?',
    tools: Object.fromEntries((request.tools ?? []).map((each) => toolOf(each.function ?? each))),
    maxRetries: 0,
    onError: () => undefined,
  })
  const output = { items: [], finish: null, usage: null, error: null }
  for await (const part of fullStream) take(part, output)
  return { ...output, items: output.items.filter(({ type, name }) => type !== 'call' || name !== undefined) }
}

function toolOf({ name: given, description, parameters, input_schema }) {
  return [given, tool({ description, inputSchema: jsonSchema(parameters ?? input_schema) })]
}

/** Parts are in the order of their beginnings, as in the messages that the SDK makes of them. */
function take(part, output) {
  switch (part.type) {
    case 'text-start':
    case 'reasoning-start':
      output.items.push({ type: part.type.replace('-start', ''), key: part.id, text: '' })
      break
    case 'text-delta':
    case 'reasoning-delta':
      output.items.findLast(({ key }) => key === part.id).text += part.text
      break
    case 'tool-input-start':
      output.items.push({ type: 'call', key: part.id })
      break
    case 'tool-call': {
      const call = { type: 'call', id: part.toolCallId, name: part.toolName, arguments: part.input ?? null }
      const begun = output.items.find(({ type, key, name }) => type === 'call' && key === part.toolCallId && !name)
      if (begun === undefined) output.items.push(call)
      else Object.assign(begun, call)
      // The arguments do not fit the tool, or there is no such tool: the caller is given the reason.
      if (part.invalid) output.error ??= errorText(part.error)
      break
    }
    case 'finish':
      output.finish = part.finishReason === 'other' && part.rawFinishReason === undefined ? null : part.finishReason
      output.usage = { input: part.totalUsage?.inputTokens ?? null, output: part.totalUsage?.outputTokens ?? null }
      break
    case 'error':
      output.error ??= errorText(part.error)
      break
    case 'abort':
      output.error ??= 'aborted'
      break
  }
}

await serveClient(
  { name: `ai + ${name}`, version: `${version} + ${provider.version}` },
  Object.fromEntries(
    Object.entries(MODELS[name] ?? {}).map(([api, makeModel]) => [
      api,
      { omits: OMITS[name]?.[api] ?? [], read: (input) => read(makeModel, input) },
    ]),
  ),
)
