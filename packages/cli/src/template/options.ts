import { SARIF_OPTION } from '../ci-findings.ts'
import type { OptionTable } from '../command.ts'

const VARIABLE_OPTIONS: OptionTable = {
  'generation-prompt': {
    help: 'End with the beginning of an answer (add_generation_prompt). Default: yes.',
    negatable: true,
  },
  set: {
    value: 'NAME=JSON',
    help: 'Set one more variable: enable_thinking=false. Wins over --variables.',
    repeat: true,
  },
  now: { value: 'TIME', help: 'What strftime_now shows: 2026-01-15T12:00:00Z. Default: the current time, in UTC.' },
}

/** Options of `callspec template render` other than those of the source. */
export const RENDER_OPTIONS: OptionTable = {
  variables: {
    value: 'FILE',
    help: 'JSON: an object with messages, tools and other variables of the template, or a list of messages. - is standard input.',
  },
  ...VARIABLE_OPTIONS,
  batch: {
    value: 'FILE',
    help: 'JSON lines {id, variables, template}; each becomes {id, text} or {id, raise, kind}, in the same order. template is a path, from the folder of FILE or from here; without it SOURCE is meant. For parse: lines {id, op, input, template}; each becomes {id, actual}.',
  },
  output: { short: 'o', value: 'FILE', help: 'Write to FILE instead of standard output.' },
}

/** What makes a lint fail: only errors, or warnings as well. */
export const FAIL_ON = ['error', 'warning'] as const
export type FailOn = (typeof FAIL_ON)[number]

/** Options of `callspec template lint` other than those of the source. */
export const LINT_OPTIONS: OptionTable = {
  rule: {
    value: 'ID',
    help: 'Only this rule; "all" for every one. Default: every rule that is no info.',
    repeat: true,
  },
  'fail-on': {
    value: 'SEVERITY',
    help: 'error or warning: what makes the exit code 1. Default: error.',
    choices: FAIL_ON,
  },
  json: { help: 'Print what was found as JSON; for lint with whole conversations and prompts.' },
  sarif: SARIF_OPTION,
  html: {
    value: 'FILE',
    help: 'Also write a page: templates by rules, with the conversation of each cell; for roundtrip what each message became.',
  },
}

/** Options of every command that takes a SOURCE. */
export const SOURCE_OPTIONS: OptionTable = {
  name: { value: 'NAME', help: 'Which of several named templates, such as tool_use. Default: default.' },
  model: { short: 'm', value: 'NAME', help: 'Model of a server. Default: the first one that it lists.' },
  'api-key-env': { value: 'NAME', help: 'Variable that holds the key of a server. Default: OPENAI_API_KEY.' },
  header: {
    value: 'HEADER',
    help: "Send this with every request to a server: 'api-key: ${AZURE_KEY}', where ${NAME} is a variable.",
    repeat: true,
  },
  timeout: { value: 'TIME', help: 'Time limit for one request to a server: 5s, or seconds. Default: 20s.' },
}

/** Whose copy of the reader of response templates. */
export const READERS = ['transformers', 'vllm'] as const

/** Options of `callspec template parse` other than those of the source. */
export const PARSE_OPTIONS: OptionTable = {
  prompt: {
    value: 'FILE',
    help: "The prompt that was sent to the model: it may have begun the message. '' if the reply is all of it.",
  },
  tools: { value: 'FILE', help: 'JSON: the tools that were offered, to type arguments that are texts.' },
  stream: {
    value: 'N',
    help: 'Feed the reply in pieces of N characters, and compare the message with that of the whole.',
  },
  events: { help: 'With --stream: print what the reader emits, one JSON line per event.' },
  reader: {
    value: 'NAME',
    help: 'transformers or vllm: whose reader. They differ where a value cannot be read. Default: transformers.',
    choices: READERS,
  },
  templates: {
    value: 'FILE',
    help: 'With --batch: JSON with the templates, schemas and tools that lines name.',
    repeat: true,
  },
}

/** Options of `callspec template roundtrip` other than those of the source. */
export const ROUNDTRIP_OPTIONS: OptionTable = {
  messages: {
    value: 'FILE',
    help: 'JSON lines with "messages", and "tools" where there are some: take their replies instead of our 41. - is standard input.',
  },
  'every-cut': { help: 'Also cut every reply in two at every place, and compare the message of the stream.' },
  'response-template': {
    value: 'FILE',
    help: 'The response template, where SOURCE has none: a file of it alone, a tokenizer_config.json or its folder.',
  },
}
