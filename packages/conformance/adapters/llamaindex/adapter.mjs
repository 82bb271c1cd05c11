// LlamaIndex's ReActAgent (npm llamaindex, MIT) over the callspec protocol: the agent takes one step, and a scripted model says
// the reply. Install it first, in this folder or in one that is named:
//
//   npm install --prefix ~/llamaindex --ignore-scripts llamaindex@0.12
//   callspec conformance run --impl 'node adapter.mjs ~/llamaindex' --format react
//
// 0.8 also needs @aws-crypto/sha256-js, js-tiktoken and pathe. The scripts that are left out fetch an image library, which is not
// used here, from github.com.

import { answerLines, installedPackage } from '../npm-package.mjs'

const { version, has, load } = installedPackage('llamaindex', '--ignore-scripts llamaindex@0.12')
const AGENT = 'agent/dist/index.js'
// What it says while it works is no answer.
console.log = console.error
const { ReActAgent } = await load(has(AGENT) ? AGENT : 'dist/agent/react.js')

async function answerTo({ cmd, seq, input }) {
  if (cmd === 'start') return declaration()
  const store = { messages: [{ role: 'user', content: 'x' }], reasons: [] }
  const llm = { chat: async () => ({ raw: null, message: { role: 'assistant', content: input.text } }) }
  const logger = { log() {}, error() {}, warn() {} }
  try {
    const context = { llm, stream: false, getTools: async () => [], store, logger, verbose: false, toolCallCount: 0 }
    await ReActAgent.taskHandler({ id: '1', input: null, context, prevStep: null, nextSteps: new Set() }, () => {})
  } catch (error) {
    // An action that no tool answers ends the step after its reading.
    if (store.reasons.length === 0) return { seq, rejected: { type: error.constructor.name, message: error.message } }
  }
  return { seq, output: outputOf(store.reasons[0]) }
}

function declaration() {
  return {
    protocol: 1,
    name: 'llamaindex ReActAgent',
    version,
    language: 'typescript',
    supports: [{ operations: ['parse'], formats: ['react'], profiles: ['strict', 'lenient:*'] }],
  }
}

function outputOf(reason) {
  if (reason.type === 'response') return { content: reason.response.message.content, calls: [] }
  return { content: reason.thought, calls: [{ name: reason.action, arguments: reason.input }] }
}

await answerLines(answerTo)
