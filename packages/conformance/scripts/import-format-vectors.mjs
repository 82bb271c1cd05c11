// Turns the strict lines of vectors about formats (JSON Lines: a reply, and what it says) into cases.
//
//   node packages/conformance/scripts/import-format-vectors.mjs FOLDER
//
// Only small ones, each under the topic of the case set that it is about; tools that play no part are left out. Cases that are
// there already stay. Needs a build.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { formatNamed } from '@callspec/core'
import { dumps, loads } from '@callspec/python'

import { filesOf, isCurrent, put } from './cases/case-files.mjs'
import { TOPICS as MADE } from './cases/every-format.mjs'
import { placesOf } from './cases/reply.mjs'
import { SPOKEN } from './cases/spoken.mjs'

const LONGEST = 400
const TOPICS = {
  ...{
    basic: 'basic',
    'empty-arguments': 'empty-arguments',
    prose: 'prose-around-calls',
    around: 'prose-around-calls',
  },
  ...{
    'prose-around-calls': 'prose-around-calls',
    'several-calls': 'several-calls',
    structure: 'layout',
    layout: 'layout',
  },
  ...{
    string: 'value-types',
    number: 'value-types',
    numbers: 'value-types',
    value: 'value-types',
    'value-types': 'value-types',
  },
  ...{
    literals: 'value-types',
    null: 'value-types',
    schema: 'value-types',
    nested: 'value-types',
    'white-space': 'layout',
  },
  ...{ spacing: 'layout', members: 'layout', strings: 'braces-in-strings', quotes: 'braces-in-strings' },
  ...{ 'brackets-in-strings': 'braces-in-strings', markers: 'markers-in-values', marker: 'markers-in-values' },
  ...{ thoughts: 'thoughts', thought: 'thoughts', draft: 'thoughts', unicode: 'escapes', keys: 'keys', key: 'keys' },
  ...{
    names: 'tool-names',
    name: 'tool-names',
    'unknown-tools': 'unknown-tools',
    tools: 'unknown-tools',
    ids: 'tool-names',
  },
  ...{ 'missing-end': 'layout', newer: 'layout', headers: 'layout', ends: 'layout', truncated: 'cut' },
  ...{ preambles: 'prose-around-calls', 'prose-around': 'prose-around-calls' },
  ...{ recipients: 'tool-names', 'builtin-tools': 'tool-names' },
}
const ABOUT = new Map(Object.values(MADE).map(([topic, about]) => [topic, about])).set(
  'layout',
  'White space, line ends and the order of members inside a call.',
)
const FOLDERS = new Map(SPOKEN.map(({ id, folder }) => [id, folder]))
const PLAIN = new Map(SPOKEN.filter(({ isPlain }) => isPlain === true).map(({ id, markers }) => [id, markers]))

/** Parsers of the makers, where they are named as what confirms an answer. */
const MAKERS = {
  'openai-harmony': { source: 'openai/harmony', licence: 'Apache-2.0' },
  'mistral-common': { source: 'mistralai/mistral-common', licence: 'Apache-2.0' },
  deepseek: { source: 'the encoder of deepseek-ai', licence: 'MIT' },
  meta: { source: 'meta-llama/llama-models' },
  'llama-models': { source: 'meta-llama/llama-models' },
  minimax: { source: 'the tool calling guide of MiniMax-AI' },
  moonshot: { source: 'the tool calling guide of Moonshot AI' },
  'cohere-melody': { source: 'cohere-ai/melody' },
  'granite-io': { source: 'ibm-granite/granite-io' },
}

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  process.stderr.write('usage: node import-format-vectors.mjs FOLDER\n')
  process.exit(2)
}
const cases = readdirSync(folder)
  .sort()
  .flatMap((name) => linesIn(join(folder, name, 'parse.jsonl')))
  .flatMap(caseOf)
const stale = [...filesOf(cases)].filter(([path, text]) => !isCurrent(path, text))
for (const [path, text] of stale) put(path, text)
process.stdout.write(`${cases.length} cases, ${stale.length} files written\n`)

function linesIn(file) {
  return readFileSync(resolve(file), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => loads(line))
}

function caseOf(line) {
  const format = line.get('format')
  const [, , rest] = line.get('id').split('/')
  const [from, name] = rest.split(/#(.*)/)
  const input = line.get('input')
  const topic = TOPICS[from]
  if (line.get('profile') !== 'strict' || topic === undefined || !FOLDERS.has(format)) return []
  if (input.get('text').length > LONGEST || line.has('error')) return []
  const about = line.get('about')
  return [
    {
      ...{ format, op: 'parse', topic, topicAbout: ABOUT.get(topic), name: `${from}: ${name}` },
      about:
        /[.:]$|: /.test(about) && !about.startsWith(`${from}:`)
          ? about
          : `${name.slice(0, 1).toUpperCase()}${name.slice(1)}.`,
      ...(line.has('evidence') ? { evidence: line.get('evidence') } : {}),
      ...provenanceOf(line),
      ...plainIn(line),
      input: new Map([...input].flatMap(([key, value]) => (key === 'tools' ? toolsIn(value, line) : [[key, value]]))),
      expected: answerOf(line.get('expected')),
      writtenFor: `packages/core/src/formats/${FOLDERS.get(format)}/README.md`,
    },
  ]
}

/** The maker's parser that gave the answer, or the template that writes it; else the document says it that the file names. */
function provenanceOf(line) {
  const confirmed = line.get('confirmed') ?? []
  for (const each of Array.isArray(confirmed) ? confirmed : []) {
    const [, name, revision] = /^([\w.-]+)@([\w.]+)/.exec(String(each)) ?? []
    const maker = MAKERS[name]
    if (maker === undefined) continue
    const { source, licence } = maker
    return { provenance: { kind: 'parser', source, revision, ...(licence === undefined ? {} : { licence }) } }
  }
  if (!Array.isArray(confirmed) || !confirmed.includes('template')) return {}
  const { source, licence } = formatNamed(line.get('format')).about
  return { provenance: { kind: 'template', source, licence } }
}

/** The stretches of the text in which arguments, where they stand as they are, spell markers in pieces. */
function plainIn(line) {
  const markers = PLAIN.get(line.get('format')) ?? []
  const text = line.get('input').get('text')
  const ranges = line
    .get('expected')
    .get('calls')
    .flatMap((call) => {
      const given = call.get('arguments')
      const at = typeof given === 'string' ? text.indexOf(given) : -1
      return at < 0 ? [] : placesOf(given, markers).map(({ start, end }) => [at + start, at + end])
    })
  const sorted = ranges.map((range) => range.map((place) => [...text.slice(0, place)].length)).sort(([a], [b]) => a - b)
  return sorted.length === 0 ? {} : { plain: sorted }
}

/** Of several tools those that are called. */
function toolsIn(tools, line) {
  const called = line
    .get('expected')
    .get('calls')
    .map((call) => call.get('name'))
  const used = tools.filter((tool) => called.includes((tool.get('function') ?? tool).get('name')))
  return tools.length > 1 ? (used.length === 0 ? [] : [['tools', used]]) : [['tools', tools]]
}

function answerOf(expected) {
  if (expected.has('items')) return new Map([['items', expected.get('items')]])
  const calls = expected
    .get('calls')
    .map(
      (call) =>
        new Map(
          [...call]
            .filter(([key]) => ['id', 'name', 'arguments'].includes(key))
            .map(([key, value]) => [key, typeof value === 'string' || value === null ? value : dumps(value)]),
        ),
    )
  const reasoning = expected.get('reasoning')
  return new Map([
    ['content', expected.get('content') ?? ''],
    ...(typeof reasoning === 'string' ? [['reasoning', reasoning]] : []),
    ['calls', calls],
  ])
}
