import { FORMAT_IDS } from '@callspec/core/formats'
import { APIS } from '@callspec/apis'
import { CUT_NAMES, familyOf, SAY_MODES } from '@callspec/conformance'
import type { Invocation, OptionTable } from '../command.ts'
import { UsageError } from '../usage-error.ts'

/** Options that select cases. */
export const SELECTION: OptionTable = {
  cases: {
    help: 'PATH as an option: case files (JSON Lines with "op", "input", and "expected" or "error"; or fixtures with golden twins), folders of them, or globs. Default: the built-in cases.',
    value: 'PATH',
    repeat: true,
  },
  op: { help: 'Only cases of this operation; * stands for any text.', value: 'NAMES', repeat: true, isList: true },
  format: {
    short: 'f',
    help: 'Only cases about this format; * stands for any text. With a file such as ./my-format.mjs: cases about the id of the format that it exports as "format"; run then tests that format, not the built-in one, under strict unless --profile is given.',
    value: 'NAMES',
    suggested: FORMAT_IDS,
    repeat: true,
    isList: true,
  },
  profile: {
    help: 'Only cases of this version: strict, qwen-agent@main, v0.0.26, ...; * stands for any text.',
    value: 'NAMES',
    repeat: true,
    isList: true,
  },
  id: { help: 'Only the case with this id; * stands for any text.', value: 'ID', repeat: true },
}

/** Options of a server under test. */
const HTTP: OptionTable = {
  http: {
    help: "Test an OpenAI-compatible server: how it reads a model's text (with --upstream-port), and what it puts into the prompt. Needs --format. OPENAI_API_KEY holds its key.",
    value: 'URL',
  },
  'upstream-port': {
    help: 'With --http: play the upstream of the server on this port of 127.0.0.1. Point the server to http://127.0.0.1:PORT/v1.',
    value: 'PORT',
  },
  say: {
    help: 'With --http: make the engine generate the texts of parse and stream, and judge how it reads them: by constrained decoding, grammar (llama.cpp, SGLang), choice (vLLM) or regex (SGLang), or by a model that repeats texts (repeat); auto takes the first that works.',
    value: 'MODE',
    choices: SAY_MODES,
  },
  'reads-text': {
    help: 'With --say: the engine finds calls in text alone, as llama.cpp does, so the tokens of a marker do not matter.',
  },
  'max-tokens': { help: 'With --say: skip texts of more tokens. Default: 2000.', value: 'N' },
  'expect-system': {
    help: 'With --http: whether a prompt should have a default system message where the conversation has none. Default: both pass, and the choice is reported.',
    value: 'WHAT',
    choices: ['none', 'default'],
  },
  model: {
    short: 'm',
    help: 'With --http: the model to request. Default: the first that the server lists.',
    value: 'NAME',
  },
}

/** Options of a client under test, and of the APIs in which it and servers are tested. */
export const CLIENT: OptionTable = {
  client: {
    help: 'Test a client of chat, messages or responses: it reads streams from a server on 127.0.0.1, and says by the protocol what it understood. PATHs are then recorded streams, - is standard input.',
    value: 'COMMAND',
  },
  api: {
    help: 'With --client: only these APIs; default: all that the client declares. With --http and --say: compare how one said text arrives over these APIs, whole and streamed, and what prompts they make.',
    value: 'APIS',
    choices: APIS,
    repeat: true,
    isList: true,
  },
}

/** Options that select the implementation, and how long it may take. */
export const IMPLEMENTATION: OptionTable = {
  impl: {
    help: 'Test a program that speaks the protocol in a session: one JSON map per line. Run by sh -c in the current folder.',
    value: 'COMMAND',
  },
  'one-shot': {
    help: 'Test a program that reads one question on stdin and writes one answer; another exit code than 0 rejects the input. Needs --format. Default of --op: parse; of --profile: strict.',
    value: 'COMMAND',
  },
  ...HTTP,
  name: {
    help: 'Name of the implementation in reports and scoreboards. Default: the name it declares; of a one-shot program its command, of a server its model.',
    value: 'NAME',
  },
  jobs: {
    help: 'How many processes answer at a time. Default: 1 in a session, one per processor for one-shot programs.',
    value: 'N',
  },
  'time-limit': { help: 'Milliseconds for one case. Default: 5000; 120000 with --say.', value: 'MS' },
}

/** The value of --cut that selects every cut. */
export const ALL_CUTS = 'all'

/** The option that cuts replies at tokens. */
export const CUT: OptionTable = {
  cut: {
    help: 'Instead of the cases of parse and stream run their texts as streams that are cut at tokens: all, whole, special (at the special tokens of its models), tokens, groups (of 1 to 8, five times) or one of groups-1 to groups-5. Cuts that users of the implementation never see do not count.',
    value: 'NAMES',
    repeat: true,
    choices: [...new Set([ALL_CUTS, ...CUT_NAMES.flatMap((cut) => [familyOf(cut), cut])])],
    isList: true,
  },
}

/** Where scoreboards are kept unless a folder is named. */
export const SCOREBOARD_FOLDER = 'reports/scoreboard'

/** The option that keeps the result of a run. */
export const SCOREBOARD: OptionTable = {
  scoreboard: {
    help: `Keep the result in DIR, in the file of the implementation, as the last one of its version. Default: ${SCOREBOARD_FOLDER}.`,
    value: 'DIR',
    whenBare: SCOREBOARD_FOLDER,
  },
}

/** Options of `matrix`. */
export const MATRIX_FILES: OptionTable = {
  html: {
    help: 'With matrix: write it as a page to FILE: topics by implementations, with the failing cases of --results and recorded engines side by side.',
    value: 'FILE',
  },
  results: {
    help: 'With matrix --html: results of a run, as --json wrote them.',
    value: 'FILE',
    repeat: true,
  },
  recorded: {
    help: 'With matrix: print recorded answers of engines, by formats and topics. Formats may be named instead of files.',
  },
  badges: { help: 'With matrix: write a badge (SVG) per implementation into DIR.', value: 'DIR' },
}

const STANDARD_OUTPUT = '-'

/** `--json` alone prints to standard output; `run` also takes a file for its results. */
export const JSON_OPTION: OptionTable = {
  json: {
    value: 'FILE',
    whenBare: STANDARD_OUTPUT,
    help:
      'Print JSON instead. run prints one result per line: id, op, profile, verdict, actual or error, reason, raw, cases, implementation; ' +
      'run --json FILE writes them to FILE, in addition to the report.',
  },
}

/**
 * Whether JSON is to be printed.
 *
 * @throws UsageError for a file name, except for `run`, which writes its results there
 */
export function wantsJson({ options, subcommand }: Pick<Invocation, 'options' | 'subcommand'>): boolean {
  const json = options.text('json')
  if (json === null || json === STANDARD_OUTPUT || subcommand === 'run') return json === STANDARD_OUTPUT
  throw new UsageError(
    `--json "${json}": callspec conformance ${subcommand ?? ''} writes no file of results. Give --json alone, at the end.`,
  )
}
