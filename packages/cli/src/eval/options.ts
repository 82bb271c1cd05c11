import { DEFAULT_FORMATS, EVAL_APIS, FORMAT_CHOICES, GATED_NAMES, NATIVE, ROLE, UNASKED_FORMATS } from '@callspec/eval'
import { PRESETS } from '@callspec/sim'
import type { OptionTable } from '../command.ts'
import { asIn, deprecating, inGroup } from '../command.ts'
import { FORMAT_FAMILIES } from '../formats.ts'
import { EVAL_QUEUE } from '../queue/options.ts'
import { FILE_REPORTERS, REPORTERS } from './eval-options.ts'
import { REPORTS } from './run-names.ts'

/** Deprecated options, and what to write instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  protocol: 'write --format',
  cache: 'write --replay FILE, which records what is missing on the tape',
  ...inConfiguration({
    'same-build': 'sameBuild',
    lang: 'tasks.lang',
    'filter-category': 'tasks.category',
    seed: 'seed',
    'max-retries': 'maxRetries',
    'wait-for-server': 'waitForServer',
    delay: 'delay',
    reporter: 'output.reporters',
    'max-regression': 'gates.maxRegression',
    'max-infra-rate': 'gates.maxInfraRate',
    'fail-on-error': 'gates.failOnError',
    'require-detectable': 'gates.requireDetectable',
    'gate-on': 'gates.gateOn',
  }),
  'min-passes': 'write --min passes=K/N',
  'time-limit': 'write the time as a budget, such as --budget 2h',
  'shared-folder': 'set CALLSPEC_SHARED_FOLDER=1',
  'env-file': 'set CALLSPEC_ENV_FILE',
}

function inConfiguration(members: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, `write ${member} in the configuration`]),
  )
}

export const SOURCE_OPTIONS: OptionTable = deprecating(
  {
    config: {
      short: 'c',
      value: 'FILE',
      help:
        'Configuration. Default: callspec.config.ts, .mts, .js, .mjs, .json5 or .json in this folder; commands that read runs ' +
        'take code (.ts, .mjs …) only where it is named.',
    },
    'env-file': {
      value: 'FILE',
      help: 'Read variables from it instead of .env.local and .env. A variable that is set keeps its value.',
      repeat: true,
    },
  },
  INSTEAD,
)

export const MODEL_OPTIONS: OptionTable = deprecating(
  {
    model: {
      short: 'm',
      value: 'NAME',
      help: 'Model to evaluate. Default: the simulated ones, sim/perfect and sim/faulty.',
      suggested: [...PRESETS.keys()],
      repeat: true,
    },
    format: {
      short: 'f',
      value: 'NAMES',
      help:
        `Formats of the calls: see callspec formats. Default: ${DEFAULT_FORMATS.join(', ')}. ${NATIVE}: tool calls of the API. ` +
        `${ROLE}: the model picks a tool by its number, as a role of MetaGPT does, and is then asked for the arguments. Also the file ` +
        'of a module with a format of your own: ./acme.mjs.',
      repeat: true,
      choices: FORMAT_CHOICES,
      refused: UNASKED_FORMATS,
      families: FORMAT_FAMILIES,
      takesModules: true,
      isList: true,
    },
    protocol: {
      short: 'p',
      value: 'NAMES',
      help: 'The older name of --format.',
      repeat: true,
      choices: FORMAT_CHOICES,
      refused: UNASKED_FORMATS,
      families: FORMAT_FAMILIES,
      isList: true,
    },
    'base-url': {
      value: 'URL',
      help: 'OpenAI-compatible server, up to /v1. Several share the work, an episode stays on one. Default: OPENAI_BASE_URL.',
      repeat: true,
    },
    'same-build': {
      help: 'Refuse several servers, of workers too, that are not of one build or list other models. Default: a warning.',
    },
    'api-key-env': {
      value: 'NAME',
      help: 'Variable that holds the key. Default: OPENAI_API_KEY. Keys cannot be passed on the command line.',
    },
    header: {
      value: 'HEADER',
      help: "Send this with every request: 'api-key: ${AZURE_KEY}', where ${NAME} stands for a variable. Never written to disk.",
      repeat: true,
    },
  },
  INSTEAD,
)

/** Also for commands without a configuration. */
export const TASK_FILTERS: OptionTable = {
  suite: {
    value: 'FILE',
    help:
      'Tasks of your own: YAML, CSV, JSON5, JSON Lines, or a module such as my.eval.ts; or injection, the tasks with forged ' +
      'text in results. Default: the 42 built-in ones.',
  },
  tools: {
    value: 'FILE',
    help:
      'Tools of your own, as a request or an MCP server lists them (JSON; - is standard input): tasks of --suite can offer them; without ' +
      '--suite, tasks ask for calls of each. None is run.',
  },
  mcp: { value: 'COMMAND', help: 'The same, from an MCP server that this starts (stdio). It only lists its tools.' },
  limit: { short: 'n', value: 'N', help: 'Only the first N tasks.' },
  filter: { value: 'REGEXP', help: 'Only tasks whose id matches, such as "^P".' },
  'filter-category': { value: 'NAME', help: 'Only tasks of this category, such as trap.', repeat: true },
  'filter-failing': { value: 'RUN', takesRun: true, help: 'Only tasks that were not solved every time in this run.' },
  lang: { value: 'LANG', help: 'Only tasks in these languages: en, zh or en,zh.', choices: ['en', 'zh'], isList: true },
}

export const TASK_OPTIONS: OptionTable = deprecating(TASK_FILTERS, INSTEAD)

export const REQUEST_OPTIONS: OptionTable = deprecating(
  {
    repeat: { value: 'N', help: 'Passes over the tasks; pass k asks with seed + k. Default: 3.' },
    seed: { value: 'N', help: 'Seed of the first pass. Default: 0.' },
    'max-calls': { value: 'N', help: 'Calls of the model before an episode is stopped. Default: what the task says.' },
    'max-tokens': { value: 'N', help: 'max_tokens of every request. Default: left to the server.' },
    stream: { help: 'Ask for streamed replies (the default), or with --no-stream for whole ones.', negatable: true },
    stops: {
      value: 'on|off',
      help: 'Whether the stop words of the format are sent. Default: on.',
      choices: ['on', 'off'],
    },
    api: {
      value: 'APIS',
      help: 'Where requests go: chat (the default), messages or responses; with completions the whole prompt is sent as one ChatML text. Several are compared in pairs, as formats are.',
      choices: EVAL_APIS,
      repeat: true,
      isList: true,
    },
    prompt: {
      value: 'maker|callspec',
      help: "Ask formats by their makers' prompts, or with the tools and an example in the system text. Default: maker.",
      choices: ['maker', 'callspec'],
    },
    'max-concurrency': {
      short: 'j',
      value: 'N',
      help: 'Episodes at a time. Changes nothing but the time. Default: 4.',
    },
    timeout: { value: 'TIME', help: 'Patience for one completion: 90s, 2m, or seconds. Default: 120s.' },
    'max-retries': {
      value: 'N',
      help: 'How often a request is repeated after 408, 409, 429, 5xx and network errors. Default: 3.',
    },
    'wait-for-server': {
      value: 'TIME',
      help: 'How long to wait for a server that went away or fails every request, such as 10m; 0 gives up at once. Default: 2m.',
    },
    delay: { value: 'TIME', help: 'Pause before every request, such as 500ms. Default: none.' },
    cache: {
      help: 'Answer requests that were made before from .callspec-cache. Hits count as neither time nor cost. Default: off.',
      negatable: true,
    },
    record: { value: 'FILE', help: 'Write every reply and every tool result to this tape.' },
    replay: { value: 'FILE', help: 'Take replies from this tape; missing ones are requested.' },
    strict: { help: 'With --replay: a reply that the tape lacks is an error. No request is sent.' },
  },
  INSTEAD,
)

export const EDITED_OPTION: OptionTable = {
  'accept-edited': {
    help: 'Accept files of a run that were changed by hand; the run is marked as edited.',
  },
}

export const RUN_FORMATS: OptionTable = {
  'allow-format': {
    value: 'FILE',
    help: 'Load this module again, with which the run was played. It is code, so a run folder alone never loads it.',
    repeat: true,
  },
}

export const SHARED_FOLDER: OptionTable = deprecating(
  {
    'shared-folder': { help: 'Let the umask decide who may read the new run folder. Default: only you, 0700.' },
  },
  INSTEAD,
)

export const RUN_OPTIONS: OptionTable = deprecating(
  {
    resume: {
      value: 'RUN',
      takesRun: true,
      whenBare: 'latest',
      help: 'Continue a run folder (default: the last one): recorded replies are not requested again.',
    },
    'retry-errors': { help: 'With --resume: also repeat the episodes that failed on the way to the server.' },
    ...EDITED_OPTION,
    ...RUN_FORMATS,
    shard: { value: 'I/N', help: 'Play only part I of N, such as 2/8. callspec merge puts the parts together.' },
    ...REPORTS,
    ...SHARED_FOLDER,
    budget: {
      value: 'AMOUNT',
      help: "Begin no further episode when this much is spent: '$20' (needs prices), 5Mtok of prompts and replies, or a time such as 2h. Exit code 3.",
      repeat: true,
    },
    'time-limit': { value: 'TIME', help: 'Begin no further episode after this time.' },
    watch: { help: 'Run again whenever the configuration or the suite has changed, until Ctrl-C.' },
    'dry-run': {
      help: 'Print what would be requested, and the highest cost if prices are known. Sends no request, and runs no code that was found.',
    },
  },
  INSTEAD,
)

const PRINTING_OPTIONS: OptionTable = {
  table: {
    help: 'Print the table (the default), or with --no-table only the paths of the results.',
    negatable: true,
  },
  verbose: {
    help:
      'Also count the labels of all turns, and print every episode without success with its cause. While episodes are played, a pipe ' +
      'gets a line of progress every ten seconds.',
  },
}

export const OUTPUT_OPTIONS: OptionTable = deprecating(
  {
    output: {
      short: 'o',
      value: 'FILE',
      help: 'Also write the results here; the ending says how: .json, .jsonl, .xml (JUnit), .md, .csv. - prints JSON.',
      repeat: true,
    },
    reporter: {
      value: 'NAMES',
      help: `Also write ${FILE_REPORTERS.join(', ')} into the run folder; "table" prints it.`,
      repeat: true,
      choices: REPORTERS,
      isList: true,
    },
    json: { help: 'Print the summary as JSON instead of the table.' },
    ...PRINTING_OPTIONS,
  },
  INSTEAD,
)

export const REGRESSION_OPTIONS: OptionTable = deprecating(
  {
    'require-detectable': {
      value: 'X',
      help: 'Give no verdict (exit code 3) when a drop of X, such as 0.25, would not have been shown in four of five runs.',
    },
    'gate-on': {
      value: 'NAMES',
      help: 'Only these rates can regress: success, clean-stop, strict-parse, parse. The fewer, the smaller the drops that show. Default: all.',
      repeat: true,
      choices: GATED_NAMES,
      isList: true,
    },
  },
  INSTEAD,
)

/** When the exit code is 1 or 3. */
export const GATE_OPTIONS: OptionTable = deprecating(
  {
    min: {
      value: 'METRIC=X',
      help: 'Fail when a metric of some row is below X: parse_rate=0.95, success=80%, of one format native:pass^3=0.5, or for each task passes=2/3 of its tries.',
      repeat: true,
    },
    max: { value: 'METRIC=X', help: 'Fail when a metric is above X, such as runaway_rate=0.1.', repeat: true },
    'min-passes': {
      value: 'K/N',
      help: 'Fail when some task is solved less often than K of its N times, such as 2/3.',
    },
    baseline: { value: 'RUN', takesRun: true, help: 'Compare with this run folder or blessed baseline.' },
    'max-regression': {
      value: 'X',
      help: 'With --baseline: fail when a rate is shown to be worse by more than X, such as 0.02. Default: 0.',
    },
    ...REGRESSION_OPTIONS,
    'max-infra-rate': {
      value: 'X',
      help: 'Give no verdict when more than this share of the episodes failed on the way to the server. Default: 0.05.',
    },
    'fail-on-error': { help: 'Fail when a single episode failed on the way to the server.' },
  },
  INSTEAD,
)

/** For commands that score a finished run. */
export const SCORING_OPTIONS: OptionTable = {
  ...EDITED_OPTION,
  ...RUN_FORMATS,
  ...OUTPUT_OPTIONS,
  ...asIn('eval', { ...PRINTING_OPTIONS, ...REPORTS, ...GATE_OPTIONS, ...SOURCE_OPTIONS }),
}

/** Options that the help lists under another heading than their table. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  Model: ['stream', 'stops', 'api', 'prompt'],
  Tasks: ['repeat'],
  'Speed and limits': ['max-concurrency', 'timeout', 'max-calls', 'max-tokens', 'budget'],
  Tapes: ['record', 'replay', 'strict'],
}

export function withHeadings(options: OptionTable): OptionTable {
  const headings = {
    ...inGroup('Model', MODEL_OPTIONS),
    ...inGroup('Tasks', TASK_OPTIONS),
    ...inGroup('Run', RUN_OPTIONS),
    ...inGroup('Many machines', EVAL_QUEUE),
    ...inGroup('Output', OUTPUT_OPTIONS),
    ...inGroup('Gates', GATE_OPTIONS),
  }
  return Object.fromEntries(
    Object.entries(options).map(([name, spec]) => {
      const [group] = Object.entries(GROUPS).find(([, names]) => names.includes(name)) ?? [headings[name]?.group]
      return [name, group === undefined ? spec : { ...spec, group }]
    }),
  )
}

/** Every option of `callspec eval`. */
export const EVAL_OPTIONS: OptionTable = withHeadings({
  ...MODEL_OPTIONS,
  ...TASK_OPTIONS,
  ...REQUEST_OPTIONS,
  ...RUN_OPTIONS,
  ...EVAL_QUEUE,
  ...OUTPUT_OPTIONS,
  ...GATE_OPTIONS,
  ...SOURCE_OPTIONS,
})
