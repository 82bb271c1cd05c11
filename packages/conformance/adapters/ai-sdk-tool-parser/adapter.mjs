// The npm package @ai-sdk-tool/parser 4.x (MIT) behind the callspec protocol: its hermes protocol, which is the format
// nous. Install it first, in this folder or in one that is named:
//
//   npm install --prefix ~/parser @ai-sdk-tool/parser@4
//   callspec conformance run --impl 'node adapter.mjs ~/parser' --format nous

import { answerLines, installedPackage } from '../npm-package.mjs'

const { version, load } = installedPackage('@ai-sdk-tool/parser', '@ai-sdk-tool/parser@4')
const { hermesProtocol } = await load('dist/index.js')

const protocol = hermesProtocol()
let stream = null

async function answerTo({ cmd, op, seq, input, chunk }) {
  if (cmd === 'start') return declaration()
  try {
    if (cmd === 'run' && op === 'stream') {
      stream = openStream(toolsIn(input))
      return null
    }
    if (cmd === 'run') return { seq, output: { items: parse(input) } }
    return { seq, output: { delta: cmd === 'feed' ? await stream.feed(chunk) : await stream.end() } }
  } catch (error) {
    if (error instanceof Contradiction) return { seq, errored: error.message }
    return { seq, rejected: { type: error.name, message: error.message } }
  }
}

function declaration() {
  return {
    protocol: 1,
    name: '@ai-sdk-tool/parser hermesProtocol',
    version,
    language: 'typescript',
    supports: [{ operations: ['parse', 'stream'], formats: ['nous'], profiles: ['strict', 'lenient:*'] }],
  }
}

function parse(input) {
  return protocol.parseGeneratedText({ text: input.text, tools: toolsIn(input) }).map((part) => {
    if (part.type === 'tool-call') return { type: 'call', name: part.toolName, arguments: part.input }
    return { type: part.type, text: part.text }
  })
}

/** The parser looks at schemas to give values their types. */
function toolsIn({ tools = [] }) {
  return tools.map(({ name, description, parameters }) => {
    const inputSchema = Array.isArray(parameters) || parameters === undefined ? { type: 'object' } : parameters
    return { type: 'function', name, description, inputSchema }
  })
}

/** What it streamed is not what it says at the end. The protocol for deltas has no words for that. */
class Contradiction extends Error {}

function openStream(tools) {
  const { readable, writable } = protocol.createStreamParser({ tools })
  const writer = writable.getWriter()
  const parts = []
  const reading = readAll(readable, parts)
  const calls = new Map()
  const taken = async () => {
    await writer.ready
    // A turn of the event loop lets everything through that the parser has let go of.
    await new Promise((settle) => setImmediate(settle))
    return deltaOf(parts.splice(0), calls)
  }
  return {
    feed: async (delta) => {
      void writer.write({ type: 'text-delta', id: '1', delta }).catch(() => undefined)
      return taken()
    },
    end: async () => {
      void writer.write({ type: 'finish', finishReason: { unified: 'stop' }, usage: {} }).catch(() => undefined)
      await writer.close()
      await reading
      return deltaOf(parts.splice(0), calls)
    },
  }
}

async function readAll(readable, parts) {
  for await (const part of readable) parts.push(part)
}

function deltaOf(parts, calls) {
  let content = ''
  const changes = []
  const change = (id, name, text) => {
    const known = calls.get(id) ?? { index: calls.size, text: '' }
    calls.set(id, { ...known, text: known.text + text })
    changes.push({ index: known.index, ...(name === null ? {} : { name }), arguments: text })
  }
  for (const part of parts) {
    if (part.type === 'text-delta') content += part.delta
    if (part.type === 'tool-input-start') change(part.id, part.toolName, '')
    if (part.type === 'tool-input-delta') change(part.id, null, part.delta)
    if (part.type === 'tool-call') {
      const streamed = calls.get(part.toolCallId)
      if (streamed === undefined) change(part.toolCallId, part.toolName, part.input)
      else if (streamed.text !== part.input) {
        throw new Contradiction(`streamed the arguments ${streamed.text} and then called with ${part.input}`)
      }
    }
  }
  return { content, calls: changes }
}

await answerLines(answerTo)
