// LangChain's reader of ReAct replies (npm @langchain/classic 1.x, MIT) behind the callspec protocol. Install it first, in this
// folder or in one that is named:
//
//   npm install --prefix ~/langchain @langchain/classic@1 @langchain/core@1
//   callspec conformance run --impl 'node adapter.mjs ~/langchain' --format react

import { answerLines, installedPackage } from '../npm-package.mjs'

const { version, load } = installedPackage('@langchain/classic', '@langchain/classic@1 @langchain/core@1')
const { ReActSingleInputOutputParser } = await load('dist/agents/react/output_parser.js')

async function answerTo({ cmd, seq, input }) {
  if (cmd === 'start') return declaration()
  try {
    const toolNames = (input.tools ?? []).map(({ name }) => name)
    const read = await new ReActSingleInputOutputParser({ toolNames }).parse(input.text)
    return { seq, output: outputOf(read) }
  } catch (error) {
    return { seq, rejected: { type: error.constructor.name, message: error.message.split('\n')[0] } }
  }
}

function declaration() {
  return {
    protocol: 1,
    name: '@langchain/classic ReActSingleInputOutputParser',
    version,
    language: 'typescript',
    supports: [{ operations: ['parse'], formats: ['react'], profiles: ['strict', 'lenient:*'] }],
  }
}

/** A finish has its answer; an action has the whole reply as its log, of which what stands before the action was thought. */
function outputOf(read) {
  if (read.returnValues !== undefined) return { content: read.returnValues.output, calls: [] }
  const thought = read.log.slice(0, read.log.search(/Action\s*\d*\s*:/))
  return { content: thought, calls: [{ name: read.tool, arguments: read.toolInput }] }
}

await answerLines(answerTo)
