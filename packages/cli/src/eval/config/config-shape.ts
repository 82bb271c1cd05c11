import { DEFAULT_FORMATS, EVAL_APIS, FORMAT_CHOICES, GATED_NAMES, SUITE_SHAPE } from '@callspec/eval'
import type { Shape } from '@callspec/eval/shape'
import {
  either,
  FLAG,
  JSON_OBJECT,
  list,
  member,
  number,
  object,
  oneOf,
  record,
  required,
  TEXT,
} from '@callspec/eval/shape'
import { MODULE_PATH } from '../../input-file.ts'
import { LIMITS, REPORTERS } from '../eval-options.ts'

const LANGUAGE = oneOf(['en', 'zh'])
const RATE = number({ min: 0, max: 1 })
const DURATION = either(number({ min: 0, max: 86_400 }), TEXT)
const PARAMETERS = JSON_OBJECT
const HEADERS = record(TEXT)
const PRICE = number({ min: 0 })

const API_KEY_ENV = 'Name of the environment variable with the key. Never the key.'

const ENDPOINT = object({
  baseUrl: required(TEXT, 'OpenAI-compatible server, up to /v1.'),
  weight: member(number({ min: 0.001, max: 1000 }), 'How much of the work it gets. Default: 1.'),
  maxConcurrency: member(integer('max-concurrency'), 'Requests at a time, at most.'),
  apiKeyEnv: member(TEXT, API_KEY_ENV),
  headers: member(HEADERS, 'Headers for this server only, added to those of the model.'),
})

const BASE_URL = either(TEXT, list(either(TEXT, ENDPOINT), 1))

const MODEL = object({
  name: required(TEXT, 'What the server is asked for.'),
  id: member(TEXT, 'What reports call it, where two servers have a model of the same name.'),
  baseUrl: member(BASE_URL, 'OpenAI-compatible server, up to /v1, or several that share the work.'),
  apiKeyEnv: member(TEXT, API_KEY_ENV),
  headers: member(HEADERS, 'Headers of its requests; with a server of its own it has only these.'),
  price: member(
    object({ prompt: required(PRICE), completion: required(PRICE) }),
    'US dollars per million tokens. Without it the cost is unknown.',
  ),
  parameters: member(PARAMETERS, 'Further fields of its requests, added to those of all models.'),
})

const TASK_CHOICE = object({
  filter: member(TEXT, 'A regular expression on ids.'),
  category: either(TEXT, list(TEXT)),
  lang: either(LANGUAGE, list(LANGUAGE)),
  limit: member(integer('limit'), 'Only the first so many.'),
})

const GATES = object({
  min: member(record(number()), 'Least value of a metric in every row.'),
  max: member(record(number()), 'Largest value of a metric in every row.'),
  minPasses: member(TEXT, 'How often every task must be solved, such as 2/3.'),
  baseline: member(TEXT, 'A run folder or a blessed baseline to compare with.'),
  maxRegression: member(RATE, 'How much worse than the baseline a rate may be: 0.02 are two points.'),
  requireDetectable: member(
    RATE,
    'The run gives no verdict where a drop of this size would not have been shown in four of five runs.',
  ),
  gateOn: member(list(oneOf(GATED_NAMES)), 'The only rates that can regress. Default: all of them.'),
  maxInfraRate: member(RATE, 'Share of failed episodes beyond which a run says nothing. Default: 0.05.'),
  failOnError: member(FLAG, 'Whether a single failed episode is enough.'),
})

const OUTPUT = object({
  reports: member(TEXT, 'Folder of the run folders. Default: reports.'),
  files: member(list(TEXT), 'Files; the ending says what each holds.'),
  reporters: member(list(oneOf(REPORTERS)), 'Further files of the run folder; table prints to the terminal.'),
  table: member(FLAG, 'Whether the table is printed. Default: true.'),
})

const FORMAT_LIST = list(oneOf(FORMAT_CHOICES, MODULE_PATH), 1)

/** The configuration of `callspec eval`: `EvalConfig`. */
export const CONFIG_SHAPE: Shape = object({
  models: member(
    list(either(TEXT, MODEL), 1),
    'Models to ask, by name or with settings of their own. Default: the simulated ones.',
  ),
  baseUrl: member(BASE_URL, 'Server of the models that name none, up to /v1, or several that share the work.'),
  sameBuild: member(FLAG, 'Refuse several servers that are not of one build. Default: false.'),
  apiKeyEnv: member(TEXT, API_KEY_ENV),
  headers: member(
    HEADERS,
    'Headers of every request to that server. ${NAME} stands for a variable: { "api-key": "${AZURE_KEY}" }.',
  ),
  formats: member(
    FORMAT_LIST,
    `Formats of the calls, by name or as the file of a module. Default: ${DEFAULT_FORMATS.join(', ')}.`,
  ),
  protocols: member(FORMAT_LIST, 'The older name of formats.'),
  suite: member(either(TEXT, SUITE_SHAPE), 'File of a suite, or the suite itself. Default: the built-in one.'),
  tasks: member(TASK_CHOICE, 'Which tasks of the suite. Default: all.'),
  repeat: member(integer('repeat'), 'Passes over the tasks; pass k asks with seed + k.'),
  seed: member(integer('seed'), 'Seed of the first pass. Default: 0.'),
  maxCalls: member(integer('max-calls'), 'Calls of the model before an episode is stopped.'),
  maxTokens: member(integer('max-tokens'), 'max_tokens of every request.'),
  parameters: member(PARAMETERS, 'Further fields of every request, such as temperature.'),
  stream: member(FLAG, 'Ask for streamed replies. Default: true.'),
  stops: member(oneOf(['on', 'off']), 'Whether stop words are sent. Default: on.'),
  api: member(
    either(oneOf(EVAL_APIS), list(oneOf(EVAL_APIS), 1)),
    'Messages over one of three APIs, or with completions the whole prompt as one text. Several are compared. Default: chat.',
  ),
  prompt: member(
    oneOf(['maker', 'callspec']),
    "The prompts of the formats' makers, or the tools and an example in the system text. Default: maker.",
  ),
  maxConcurrency: member(integer('max-concurrency'), 'Episodes at a time. Default: 4.'),
  timeout: member(DURATION, 'Patience for one completion: seconds, or "90s", "2m". Default: 120.'),
  maxRetries: member(integer('max-retries'), 'How often a failed request is repeated. Default: 3.'),
  waitForServer: member(
    DURATION,
    'How long to wait for a server that went away: seconds, or "10m". 0: not at all. Default: 120.',
  ),
  delay: member(DURATION, 'Pause before every request: seconds, or "500ms".'),
  budget: member(either(TEXT, list(TEXT)), 'When no further episode is begun: "$20" (needs prices) or "5Mtok".'),
  timeLimit: member(DURATION, 'After which time no further episode is begun: seconds, or "2h".'),
  cache: member(FLAG, 'Answer repeated requests from a cache. Default: false.'),
  gates: member(GATES, 'When a run fails.'),
  output: member(OUTPUT, 'What is written in addition to the run folder.'),
})

function integer(name: keyof typeof LIMITS): Shape {
  return number({ ...LIMITS[name], whole: true })
}
