import { formatNamed } from '@callspec/core'
import { EXAMPLE_FORMAT } from '../formats.ts'

/** A file for a project that begins. */
export interface StarterFile {
  /** Relative to the project, with `/`. */
  readonly path: string
  readonly text: string
}

const PROSE = 'Let me look.'

/** A reply with one call, as the models of the format write it. */
const REPLY = formatNamed(EXAMPLE_FORMAT)?.write([
  { kind: 'text', text: PROSE },
  { kind: 'call', name: 'weather', arguments: '{"city": "Oslo"}', id: null },
])

const CONFIG = `// What "callspec eval" asks, and when it fails. Options win over this file; "callspec eval --help" has them all.
{
  // A simulated model that makes no mistake: no key, no network. Beside it, or in its place, your own:
  models: [
    'sim/perfect',
    // { name: 'qwen3-8b', baseUrl: 'http://127.0.0.1:8000/v1' },
    // The name of the variable that holds the key, never the key:
    // { name: 'qwen-plus', baseUrl: 'https://example.com/v1', apiKeyEnv: 'MODEL_API_KEY' },
  ],

  // How calls are asked for and read: names of "callspec formats", or native for tool calls of the API.
  formats: ['${EXAMPLE_FORMAT}', 'native'],

  // The first tasks only. Without this line: all of them. "callspec tasks list" shows them.
  tasks: { limit: 5 },
  repeat: 1,

  // Exit code 1 when a row of the table is beyond one of these.
  gates: {
    min: { parse_rate: 0.95 },
    // max: { runaway_rate: 0.05 },
  },

  // Every run leaves a folder here; it need not be committed.
  output: { reports: 'reports' },
}
`

const CASES: readonly object[] = [
  {
    id: `${EXAMPLE_FORMAT}/parse/my-cases#a call after prose`,
    op: 'parse',
    format: EXAMPLE_FORMAT,
    profile: 'strict',
    about: 'Prose before a call stays prose, and the call is read.',
    input: {
      text: REPLY,
    },
    expected: {
      items: [
        { type: 'text', text: PROSE },
        { type: 'call', name: 'weather', arguments: '{"city": "Oslo"}' },
      ],
    },
  },
]

const WORKFLOW = `# Expects callspec among the devDependencies: npm install --save-dev callspec
name: callspec
on: [push, pull_request]
permissions:
  contents: read
jobs:
  callspec:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@11d5960a326750d5838078e36cf38b85af677262 # v4.4.0
      - uses: actions/setup-node@49933ea5288caeca8642d1e84afbd3f7d6820020 # v4.4.0
        with:
          node-version: 22
      - run: npm ci
      # Your own parser in place of the built-in one: --impl 'python3 my_parser.py', or --format ./my-format.mjs
      - run: npx callspec conformance run --cases cases
      - run: npx callspec eval
`

/** What `callspec init` writes: a configuration, a case, and a workflow that runs both. */
export const STARTER_FILES: readonly StarterFile[] = [
  { path: 'callspec.config.json5', text: CONFIG },
  { path: 'cases/my-cases.jsonl', text: CASES.map((each) => `${JSON.stringify(each)}\n`).join('') },
  { path: '.github/workflows/callspec.yml', text: WORKFLOW },
]
