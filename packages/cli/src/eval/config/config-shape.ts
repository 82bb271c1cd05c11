import { DEFAULT_FORMATS, FORMAT_CHOICES, GATED_NAMES, FORMAT_NAMES, SUITE_SHAPE } from '@callspec/eval'
import type { Shape } from '@callspec/eval'
import { MODULE_PATH } from '../../module-file.ts'
import { LIMITS } from '../limits.ts'
import { REPORTERS } from '../reporters/reporter.ts'

const TEXT: Shape = { kind: 'text' }
const FLAG: Shape = { kind: 'flag' }
const LANGUAGE: Shape = { kind: 'text', choices: ['en', 'zh'] }
const RATE: Shape = { kind: 'number', min: 0, max: 1 }
const DURATION: Shape = { kind: 'either', of: [{ kind: 'number', min: 0, max: 86_400 }, TEXT] }
const PARAMETERS: Shape = { kind: 'record', of: { kind: 'json' } }
const HEADERS: Shape = { kind: 'record', of: TEXT }
const PRICE: Shape = { kind: 'number', min: 0 }

const API_KEY_ENV = 'Name of the environment variable with the key. Never the key.'

const ENDPOINT: Shape = {
  kind: 'object',
  members: {
    baseUrl: { shape: TEXT, required: true, about: 'OpenAI-compatible server, up to /v1.' },
    weight: { shape: { kind: 'number', min: 0.001, max: 1000 }, about: 'How much of the work it gets. Default: 1.' },
    maxConcurrency: { shape: integer('max-concurrency'), about: 'Requests at a time, at most.' },
    apiKeyEnv: { shape: TEXT, about: API_KEY_ENV },
    headers: { shape: HEADERS, about: 'Headers that go to this server alone, beside those of the model.' },
  },
}

const BASE_URL: Shape = {
  kind: 'either',
  of: [TEXT, { kind: 'list', of: { kind: 'either', of: [TEXT, ENDPOINT] }, min: 1 }],
}

const MODEL: Shape = {
  kind: 'object',
  members: {
    name: { shape: TEXT, required: true, about: 'What the server is asked for.' },
    id: { shape: TEXT, about: 'What reports call it, where two servers have a model of the same name.' },
    baseUrl: { shape: BASE_URL, about: 'OpenAI-compatible server, up to /v1, or several that share the work.' },
    apiKeyEnv: { shape: TEXT, about: API_KEY_ENV },
    headers: { shape: HEADERS, about: 'Headers of its requests; with a server of its own it has only these.' },
    price: {
      shape: {
        kind: 'object',
        members: { prompt: { shape: PRICE, required: true }, completion: { shape: PRICE, required: true } },
      },
      about: 'US dollars per million tokens. Without it the cost is unknown.',
    },
    parameters: { shape: PARAMETERS, about: 'Further fields of every request, beside those of all models.' },
  },
}

const TASKS: Shape = {
  kind: 'object',
  members: {
    filter: { shape: TEXT, about: 'A regular expression on ids.' },
    category: { shape: { kind: 'either', of: [TEXT, { kind: 'list', of: TEXT }] } },
    lang: { shape: { kind: 'either', of: [LANGUAGE, { kind: 'list', of: LANGUAGE }] } },
    limit: { shape: integer('limit'), about: 'Only the first so many.' },
  },
}

const GATES: Shape = {
  kind: 'object',
  members: {
    min: { shape: { kind: 'record', of: { kind: 'number' } }, about: 'Least value of a metric in every row.' },
    max: { shape: { kind: 'record', of: { kind: 'number' } }, about: 'Largest value of a metric in every row.' },
    minPasses: { shape: TEXT, about: 'How often every task must be solved, such as 2/3.' },
    baseline: { shape: TEXT, about: 'A run folder or a blessed baseline to compare with.' },
    maxRegression: { shape: RATE, about: 'How much worse than the baseline a rate may be: 0.02 are two points.' },
    requireDetectable: {
      shape: RATE,
      about: 'The run gives no verdict where a drop of this size would not have been shown in four of five runs.',
    },
    gateOn: {
      shape: { kind: 'list', of: { kind: 'text', choices: GATED_NAMES } },
      about: 'The only rates that can regress. Default: all of them.',
    },
    maxInfraRate: { shape: RATE, about: 'Share of failed episodes beyond which a run says nothing. Default: 0.05.' },
    failOnError: { shape: FLAG, about: 'Whether a single failed episode is enough.' },
  },
}

const OUTPUT: Shape = {
  kind: 'object',
  members: {
    reports: { shape: TEXT, about: 'Folder of the run folders. Default: reports.' },
    files: { shape: { kind: 'list', of: TEXT }, about: 'Files; the ending says what each holds.' },
    reporters: {
      shape: { kind: 'list', of: { kind: 'text', choices: REPORTERS } },
      about: 'Further files of the run folder; table prints to the terminal.',
    },
    table: { shape: FLAG, about: 'Whether the table is printed. Default: true.' },
  },
}

const FORMATS: Shape = {
  kind: 'list',
  of: { kind: 'text', choices: [...new Set([...FORMAT_CHOICES, ...FORMAT_NAMES])], orMatching: MODULE_PATH },
  min: 1,
}

/** The configuration of `callspec eval`: `EvalConfig`. */
export const CONFIG_SHAPE: Shape = {
  kind: 'object',
  members: {
    models: {
      shape: { kind: 'list', of: { kind: 'either', of: [TEXT, MODEL] }, min: 1 },
      about: 'Models to ask, by name or with settings of their own. Default: the simulated ones.',
    },
    baseUrl: {
      shape: BASE_URL,
      about: 'Server of the models that name none, up to /v1, or several that share the work.',
    },
    sameBuild: { shape: FLAG, about: 'Refuse several servers that are not of one build. Default: false.' },
    apiKeyEnv: { shape: TEXT, about: API_KEY_ENV },
    headers: {
      shape: HEADERS,
      about: 'Headers of every request to that server. ${NAME} stands for a variable: { "api-key": "${AZURE_KEY}" }.',
    },
    formats: {
      shape: FORMATS,
      about: `Formats of the calls, by name or as the file of a module. Default: ${DEFAULT_FORMATS.join(', ')}.`,
    },
    protocols: { shape: FORMATS, about: 'The older name of formats.' },
    suite: {
      shape: { kind: 'either', of: [TEXT, SUITE_SHAPE] },
      about: 'File of a suite, or the suite itself. Default: the built-in one.',
    },
    tasks: { shape: TASKS, about: 'Which tasks of the suite. Default: all.' },
    repeat: { shape: integer('repeat'), about: 'Passes over the tasks; pass k asks with seed + k.' },
    seed: { shape: integer('seed'), about: 'Seed of the first pass. Default: 0.' },
    maxCalls: { shape: integer('max-calls'), about: 'Calls of the model before an episode is stopped.' },
    maxTokens: { shape: integer('max-tokens'), about: 'max_tokens of every request.' },
    parameters: { shape: PARAMETERS, about: 'Further fields of every request, such as temperature.' },
    stream: { shape: FLAG, about: 'Ask for streamed replies. Default: true.' },
    stops: { shape: { kind: 'text', choices: ['on', 'off'] }, about: 'Whether stop words are sent. Default: on.' },
    api: {
      shape: { kind: 'text', choices: ['chat', 'completions'] },
      about: 'Messages, or the whole prompt as one text. Default: chat.',
    },
    prompt: {
      shape: { kind: 'text', choices: ['maker', 'callspec'] },
      about: "The prompts of the formats' makers, or the tools and an example in the system text. Default: maker.",
    },
    maxConcurrency: { shape: integer('max-concurrency'), about: 'Episodes at a time. Default: 4.' },
    timeout: { shape: DURATION, about: 'Patience for one completion: seconds, or "90s", "2m". Default: 120.' },
    maxRetries: { shape: integer('max-retries'), about: 'How often a failed request is repeated. Default: 3.' },
    waitForServer: {
      shape: DURATION,
      about: 'How long to wait for a server that went away: seconds, or "10m". 0: not at all. Default: 120.',
    },
    delay: { shape: DURATION, about: 'Pause before every request: seconds, or "500ms".' },
    budget: {
      shape: { kind: 'either', of: [TEXT, { kind: 'list', of: TEXT }] },
      about: 'When no further episode is begun: "$20" (needs prices) or "5Mtok".',
    },
    timeLimit: { shape: DURATION, about: 'After which time no further episode is begun: seconds, or "2h".' },
    cache: { shape: FLAG, about: 'Answer repeated requests from a cache. Default: false.' },
    gates: { shape: GATES, about: 'When a run fails.' },
    output: { shape: OUTPUT, about: 'What is written besides the run folder.' },
  },
}

function integer(name: keyof typeof LIMITS): Shape {
  return { kind: 'number', whole: true, ...LIMITS[name] }
}
