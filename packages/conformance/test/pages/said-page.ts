import { dumps, isList } from '@callspec/python'
import type { PyValue } from '@callspec/python'

import type { Case } from '../../src/index.ts'
import { LISTED } from '../helpers/shared-templates.ts'
import { code, table } from './markdown.ts'
import { readDeviations, readSaid, readServer } from './said-report.ts'
import type { Deviation, SaidReport, ServerAnswers, TopicCount } from './said-report.ts'

/** What llama.cpp makes of the strict cases: its bugs first, then everything else, then the numbers. */
export function saidPage(cases: ReadonlyMap<string, Case>): string {
  const [report, deviations, server] = [readSaid(), readDeviations(), readServer()]
  const bugs = deviations.filter(isBug)
  const others = deviations.filter((deviation) => !isBug(deviation))
  const parts = [
    head(report, server),
    ...bugs.slice(0, SHOWN).map((deviation, at) => deviationText(deviation, { at, report, cases, server })),
    '### Smaller ones',
    reasonTable(bugs.slice(SHOWN), server),
    OTHERS,
    reasonTable(others, server),
    HOW,
    formatTable(report),
    '## What cannot be asked',
    table(
      ['format', 'cases', 'why'],
      report.skipped.map(({ format, reason, times }) => [format, String(times), escaped(reason)]),
    ),
    NOTES,
    '## By format and topic',
    topicTable(report),
  ]
  return `${parts.join('\n\n')}\n`
}

/** How many bugs are shown with their text. */
const SHOWN = 8

function isBug({ kind }: Deviation): boolean {
  return kind === 'bug' || kind === 'unverified'
}

/** Reasons in a line each. */
function reasonTable(deviations: readonly Deviation[], server: ServerAnswers): string {
  return table(
    ['what', 'judged', 'cases', `llama-server ${server.version}`],
    deviations.map(({ kind, what, link, linkIs, cases }) => [
      `${escaped(what)}${link === null ? '' : `. ${linkIs}: ${link}`}`,
      kind,
      String(cases.length),
      onServer(cases, server),
    ]),
  )
}

/** What llama-server answers to the whole replies among the cases. */
function onServer(cases: Deviation['cases'], { verdictOf }: ServerAnswers): string {
  const counts = new Map<string, number>()
  for (const { id } of cases) {
    const verdict = verdictOf(id)
    const words = verdict === null ? 'not asked' : (SERVER_WORDS[verdict] ?? verdict)
    counts.set(words, (counts.get(words) ?? 0) + 1)
  }
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(([words, count]) => `${words} ${count}`)
    .join(', ')
}

const SERVER_WORDS: Readonly<Record<string, string>> = { skipped: 'no model can write it', whitespace: 'passed' }

function head({ implementation, cases }: SaidReport, { version }: ServerAnswers): string {
  return `# ${implementation}, said

Every strict case of \`parse\` and \`stream\` (cases ${cases}) was said through the engine with the chat templates of 29 formats, by a door: a
grammar that allows one text alone makes its sampler say it, and its own tokenizer and parser read it. What to know before you read on:

- **Refused** is inferred. The binding of the door swallows what the parser throws; the door answers \`Failed to parse input\` where there was
  a reading and none is left.
- **llama-server** forces a grammar of its own on calls, which the door replaces. Each reason was therefore asked of a real llama-server, of
  xllamacpp ${version} (the last number is the build): its verdicts stand beside each reason. _No model can write it_: the grammar
  of the server made another text of it. _Not asked_: streams, prompts, and templates that no package carries.
- **Cut** replies end by the end token here, as if the model had stopped in mid-call. At llama-server they end by \`max_tokens\`, as
  users meet them: the open call is handed on with unclosed arguments and \`finish_reason: "length"\` (verdict _cut_), and finished calls stay.
  Ended by the end token (\`--cut-by end\` of its adapter), 105 of 110 replies of nous, glm-4.5 and mistral-v3 cannot be written at all: the
  grammar lets no call end open.
- [docs/engines.md](../../docs/engines.md)}) has llama-server by format, and
  \`reports/engines\` each case.

## Bugs

Those with the most cases, each with its smallest text. Before a command the door listens with the template of the format that the id names:

\`\`\`sh
node packages/conformance/adapters/llama.cpp/dist/make-tiny-model.js --output tiny.gguf --keep 4300 --template FILE --bos TEXT
node packages/conformance/adapters/llama.cpp/dist/main.js --model tiny.gguf --port 8151 &
\`\`\`

\`FILE\` and \`TEXT\` are \`file\` and \`bos\` of \`adapters/llama.cpp/templates.json\`, and \`eos\` is given by \`--eos\`; nous needs none of them but
for the prompts of Qwen2.5's template, others no \`--bos\` and \`--eos\` where none is listed.`
}

const OTHERS = `## No bugs

_Policy_ is meant so by its makers; where a case is _contested_ it may be wrong itself; some texts are written by no model.`

const HOW = `## By format

Passed, failed, and those that cannot be asked, through the door. The model is a tiny one without trained weights; what is examined is the
engine with the chat template of a model. \`render\` are prompts over \`/apply-template\`: the strict ones of the format, or those of this
very template by its sha256, as Jinja2 writes them; those of nous were asked of the template of Qwen2.5, too. One command says it all
again, one or more names of formats behind it a part:

\`\`\`sh
git clone https://github.com/TheTom/llama-cpp-turboquant ~/templates && git -C ~/templates checkout 69d8e4be47243e83b3d0d71e932bc7aa61c644dc
node packages/conformance/scripts/say-llama.mjs ~/templates/models/templates
\`\`\`

The repository is a copy of llama.cpp with the templates that llama.cpp itself is tested with; \`adapters/llama.cpp/templates.json\` of the
package has the sha256 of each, and where those come from that are not in it.`

function formatTable({ topics }: SaidReport): string {
  const formats = [...new Set(topics.map(({ format }) => format))]
  return table(
    ['format', 'template', 'parse', 'stream', 'render'],
    formats.map((format) => {
      const listed = LISTED.find((each) => each.format === format)
      const template = listed === undefined ? '`chatml.jinja` of the adapter' : `[${listed.file}](${listed.source})`
      const of = (op: string): string => sumOf(topics.filter((each) => each.format === format && each.op === op))
      return [format, template, of('parse'), of('stream'), of('render')]
    }),
  )
}

function sumOf(counts: readonly TopicCount[]): string {
  if (counts.length === 0) return ''
  const sum = (key: 'passed' | 'failed' | 'errored' | 'skipped'): number =>
    counts.reduce((all, each) => all + each[key], 0)
  const broken = sum('errored') === 0 ? '' : `, ${sum('errored')} broke`
  return `${sum('passed')}, ${sum('failed')}, ${sum('skipped')}${broken}`
}

const NOTES = `### As which tokens

The vocabulary is the first 4 300 tokens of Qwen's with its special tokens. Markers of other formats are no tokens of it and were said as
characters; llama.cpp reads text alone (\`--reads-text\`), so that its verdicts stand. With all 151 643 ordinary tokens of Qwen 40 nous cases, drawn by
seed, are read as with few: 31 passed, the 7 that are known fail, 2 cannot be asked.

\`\`\`sh
npx --yes pnpm@12.21.0 test:long said.long -t 'whole vocabulary'
\`\`\``

/** What a reason is shown with. */
interface Known {
  readonly at: number
  readonly report: SaidReport
  readonly cases: ReadonlyMap<string, Case>
  readonly server: ServerAnswers
}

function deviationText({ what, link, linkIs, cases: own }: Deviation, { at, report, cases, server }: Known): string {
  const found = own.flatMap(({ id, command }) => {
    const item = cases.get(id)
    return item === undefined ? [] : [{ id, command, item, text: textOf(item) }]
  })
  const [smallest] = found.toSorted((one, other) => one.text.length - other.text.length)
  if (smallest === undefined) throw new Error(`known/llama.cpp.txt: "${what}" has no case that there is`)
  const { id, command, item, text } = smallest
  const expected = item.expected?.kind === 'returned' ? dumps(item.expected.value) : 'an error'
  const tools = item.input.get('tools')
  const lines = [
    `${item.op === 'render' ? 'asked' : 'said'}: ${text}`,
    ...(isList(tools) && item.op !== 'render' ? [`offered: ${dumps(tools)}`] : []),
    `expected: ${expected}`,
    `answered: ${id in report.answers ? answered(report.answers[id]) : 'not kept'}`,
  ]
  const where = link === null ? 'No report was found' : `${linkIs}: ${link}`
  return `### ${at + 1}. ${marked(what)}

${where}. ${own.length} cases: ${byFormat(own.map((each) => each.id))}. llama-server: ${onServer(own, server)}.

\`\`\`text
${lines.join('\n')}
\`\`\`

\`\`\`sh
${command}
\`\`\``
}

/** JSON in one line, so that nothing in it ends a block. */
function textOf({ op, input }: Case): string {
  if (op === 'render') return dumps(new Map([...input].filter(([key]) => key === 'messages' || key === 'tools')))
  const chunks = input.get('chunks')
  const text: PyValue = isList(chunks) ? chunks.map(String).join('') : (input.get('text') ?? '')
  return dumps(text)
}

function answered(answer: unknown): string {
  if (answer === null) return 'refused: the whole reply is an error'
  return typeof answer === 'string' ? answer.replace(/\s*\n\s*/g, ' ') : JSON.stringify(answer)
}

function byFormat(ids: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const id of ids) {
    const [format = ''] = id.split('/')
    counts.set(format, (counts.get(format) ?? 0) + 1)
  }
  return [...counts].map(([format, count]) => `${format} ${count}`).join(', ')
}

function topicTable({ topics }: SaidReport): string {
  return table(
    ['format', 'operation', 'topic', 'passed', 'failed', 'cannot be asked'],
    topics.map(({ format, op, topic, passed, failed, skipped }) => [
      format,
      op,
      topic,
      ...[passed, failed, skipped].map(String),
    ]),
  )
}

/** Words for a cell of a table. */
function escaped(words: string): string {
  return marked(words).replaceAll('|', '\\|')
}

/** Words with markers in them: what looks like markup becomes code. */
function marked(words: string): string {
  return words
    .replace(/`[^`]*`|"[^"\n]*[<[][^"\n]*"|<[^>\s]+>|__\w+__/g, (text) => (text.startsWith('`') ? text : code(text)))
    .replaceAll('\\|', '|')
}
