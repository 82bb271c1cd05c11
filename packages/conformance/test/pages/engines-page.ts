import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { dumps, isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

import { firstTextDifference, sumCells, tallyRecorded, topicOf, visible } from '../../src/index.ts'
import type { RecordedAnswer, Scoreboard } from '../../src/index.ts'

const ENGINES = JSON.parse(
  readFileSync(resolve(import.meta.dirname, '../../../../golden/recorded/engines.json'), 'utf8'),
) as Readonly<Record<string, { readonly what: string; readonly date: string }>>

/** What engines answered once, by format: how often they agree, and the smallest text that shows where they do not. */
export function enginesPage(answers: readonly RecordedAnswer[]): string {
  const formats = [...new Set(answers.map(({ format }) => format))].toSorted()
  const parts = [HEAD, engineTable(answers), runHere()]
  for (const format of formats) {
    const own = answers.filter((answer) => answer.format === format)
    parts.push(`## ${format}`, tallyTable(own), ...differences(own))
  }
  return `${parts.join('\n\n')}\n`
}

const HEAD = `# What engines answer

Engines and the makers' own programs were asked the questions of callspec's cases once, at the versions named here; their
answers are kept in \`golden/recorded\`. This page shows where they agree with the \`strict\` answer and where they do not, with
the smallest text of each topic that shows it. But for what stands under _Run here_ nothing was run today, and it is no ranking: questions were chosen where
readers differ, an engine that many looked at has more of them, and what was found may be mended since. _Open_ are questions
without a single right answer; there an engine cannot be wrong. Of some copies of templates only the prompts that differ were kept:
they have a 0 under _as strict_.

\`callspec conformance matrix --recorded [FORMAT …]\` prints the topics one by one.

## The engines`

const BOARDS = resolve(import.meta.dirname, '../../../../reports/scoreboard')

/** How each scoreboard but our own was made, below the folder of the repository. */
const COMMANDS: Readonly<Record<string, string>> = {
  '@ai-sdk-tool/parser': `npm install --prefix ~/parser @ai-sdk-tool/parser@4
callspec conformance run --impl 'node packages/conformance/adapters/ai-sdk/adapter.mjs ~/parser' \\
  --format nous --format qwen3-coder --format qwen3.5 --profile strict --scoreboard`,
  LangChain: `npm install --prefix ~/langchain @langchain/classic@1 @langchain/core@1
callspec conformance run --impl 'node packages/conformance/adapters/langchain/adapter.mjs ~/langchain' \\
  --format react --format llama3-json --profile strict --scoreboard`,
  'llama.cpp': `node packages/conformance/adapters/llama.cpp/dist/make-tiny-model.js --output tiny.gguf --keep 4300
node packages/conformance/adapters/llama.cpp/dist/main.js --model tiny.gguf --port 8151 &
callspec conformance run --http http://127.0.0.1:8151/v1 --say auto --reads-text --name llama.cpp \\
  --format nous --op parse --profile strict --time-limit 300000 --scoreboard`,
}

/** What was run for the scoreboards in this repository, with the command beside each. */
function runHere(): string {
  const names = readdirSync(BOARDS).filter((name) => name.endsWith('.json') && name !== 'callspec.json')
  const boards = names.toSorted().map((name) => JSON.parse(readFileSync(join(BOARDS, name), 'utf8')) as Scoreboard)
  const rows = boards.flatMap(({ implementation, results }) =>
    results.flatMap(({ version, casesVersion, cells }) =>
      cells.map((cell) => {
        const { passed, failed, errored, skipped } = sumCells([cell])
        const place = [code(implementation), version, casesVersion, cell.format ?? '', cell.op]
        return [...place, ...[passed, failed, errored, skipped].map(String)]
      }),
    ),
  )
  const head = ['implementation', 'version', 'cases', 'format', 'operation', 'passed', 'failed', 'broke', 'skipped']
  const commands = boards.map(({ implementation }) => {
    const command = COMMANDS[implementation]
    if (command === undefined) throw new Error(`engines-page.ts: nothing says how ${implementation} was run`)
    return `${code(implementation)}:\n\n\`\`\`sh\n${command}\n\`\`\``
  })
  return [RUN_HEAD, table(head, rows), ...commands].join('\n\n')
}

const RUN_HEAD = `## Run here

These can be run again. Their scoreboards are in \`reports/scoreboard\`, and what they are known to fail, each with the command that
repeats it alone, in \`reports/scoreboard/known\`. \`callspec conformance matrix --html page.html --results FILE\` shows the cases.`

function engineTable(answers: readonly RecordedAnswer[]): string {
  const names = [...new Set(answers.map(({ engine }) => engine))].toSorted()
  return table(
    ['engine', 'what it is', 'of when', 'as strict', 'otherwise', 'open'],
    names.map((name) => {
      const { what, date } = ENGINES[name] ?? {
        what: whatOf(name),
        date: ENGINES[name.split('/')[0] ?? '']?.date ?? 'not known',
      }
      return [code(name), what, date, ...counts(answers.filter(({ engine }) => engine === name))]
    }),
  )
}

/** Copies of templates say in their name whose they are. */
function whatOf(name: string): string {
  if (name.startsWith('hf-template@')) return `the chat template beside ${name.slice(name.indexOf('@') + 1)}`
  if (name.startsWith('vllm-template@')) return `vLLM's example template for ${name.slice(name.indexOf('@') + 1)}`
  if (name.startsWith('mistral-common@')) return `mistral-common, its prompts ${name.slice(name.indexOf('/') + 1)}`
  throw new Error(`golden/recorded/engines.json: nothing says what ${name} is`)
}

function tallyTable(answers: readonly RecordedAnswer[]): string {
  const keys = [...new Set(answers.map(({ op, engine }) => `${op} ${engine}`))].toSorted()
  return table(
    ['operation', 'engine', 'as strict', 'otherwise', 'open'],
    keys.map((key) => {
      const [op = '', engine = ''] = key.split(' ')
      return [op, code(engine), ...counts(answers.filter((answer) => answer.op === op && answer.engine === engine))]
    }),
  )
}

function counts(answers: readonly RecordedAnswer[]): readonly string[] {
  const cells = tallyRecorded(answers)
  const sum = (of: (cell: (typeof cells)[number]) => number): string =>
    String(cells.reduce((total, cell) => total + of(cell), 0))
  return [sum(({ agrees }) => agrees), sum(({ differs }) => differs), sum(({ open }) => open)]
}

/** One row per engine and topic. */
function differences(answers: readonly RecordedAnswer[]): readonly string[] {
  const smallest = new Map<string, { readonly answer: RecordedAnswer; readonly times: number }>()
  for (const answer of answers) {
    if (answer.agrees !== false) continue
    const key = [answer.op, topicOf(answer), answer.engine].join(' ')
    const known = smallest.get(key)
    const isSmaller = known === undefined || sizeOf(answer) < sizeOf(known.answer)
    smallest.set(key, { answer: isSmaller ? answer : known.answer, times: (known?.times ?? 0) + 1 })
  }
  if (smallest.size === 0) return []
  const rows = [...smallest].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, found]) => rowOf(found))
  return [table(['topic', 'engine', 'times', 'which text', 'strict', 'answered'], rows)]
}

function sizeOf({ question }: RecordedAnswer): number {
  return question === null ? Infinity : dumps(question.input).length
}

function rowOf({ answer, times }: { readonly answer: RecordedAnswer; readonly times: number }): readonly string[] {
  const { op, engine, question, id } = answer
  const head = [`${op}: ${topicOf(answer)}`, code(engine), String(times)]
  if (question === null) return [...head, '', '', '']
  const text = question.input.get('text')
  const which = typeof text === 'string' ? code(text) : (id.split('#')[1]?.split('@')[0]?.trim() ?? '')
  const [right, answered] = [saidIn(question.right), saidIn(question.answered)]
  const difference = op === 'render' ? firstTextDifference(right, answered) : null
  return [
    ...head,
    which,
    ...(difference === null ? [code(right), code(answered)] : [code(difference.expected), code(difference.actual)]),
  ]
}

/** An answer in short: prose, thoughts and calls, the prompt, or the refusal. */
function saidIn(value: PyValue | null): string {
  if (!isDict(value)) return 'nothing'
  const prompt = value.get('text') ?? value.get('prompt')
  if (typeof prompt === 'string') return prompt
  if (value.has('type') && !value.has('calls')) return `refused: ${String(value.get('message') ?? value.get('type'))}`
  const calls = value.get('calls')
  const parts = [
    ...['reasoning', 'content'].flatMap((key) => {
      const text = value.get(key)
      return typeof text === 'string' && text !== '' ? [`${key} ${dumps(text)}`] : []
    }),
    ...(isList(calls) ? calls.filter(isDict).map(callText) : []),
  ]
  return parts.length === 0 ? 'nothing' : parts.join(', ')
}

function callText(call: PyDict): string {
  const id = call.get('id')
  return `${typeof id === 'string' ? `${id} ` : ''}${String(call.get('name'))}(${String(call.get('arguments'))})`
}

const LONGEST = 160

/** A text as code in a cell of a table: one line, bounded, nothing in it is markup. */
function code(text: string): string {
  const shown = visible(text).replaceAll('␣', ' ')
  const short = [...shown].length > LONGEST ? `${[...shown].slice(0, LONGEST).join('')}…` : shown
  if (short.trim() === '') return `\`${visible(text) || ' '}\``
  const fence = short.includes('`') ? '``' : '`'
  return `${fence}${fence === '``' ? ` ${short} ` : short}${fence}`.replaceAll('|', '\\|')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
